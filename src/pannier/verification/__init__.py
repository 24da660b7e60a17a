"""One-time codes for every purpose.

A *challenge* asks an *identity* (a phone number or an email address) to prove itself for one
*purpose* within one *scope* (a store, an order's stop). It is answered with a *code* that was sent
there. Each resend adds a code to the challenge; the correct one closes it.
"""
