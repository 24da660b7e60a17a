"""Sample data: records that an admin of an empty company adds to look around, and removes again.

The records are ordinary ones, created by the services behind the API. Their people have no email
address, their only phone numbers are not in use, and a company with webhooks gets none, so nothing
leaves the installation.
"""
