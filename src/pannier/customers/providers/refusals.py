"""Why a sign-in with a provider is refused."""

from pannier.errors import NotFound, Problem, Unauthenticated, Unavailable
from pannier.verification.service import Requested


class ProviderNotEnabled(NotFound):
    """The store has no settings for this provider, or not for this way of proving."""

    code = "provider_not_enabled"
    title = "This store does not take sign-ins of that provider."


class ProofInvalid(Unauthenticated):
    """The provider's token does not prove what it should; the sentence tells what is wrong."""

    code = "provider_proof_invalid"
    title = "The provider's token was refused."


class ProofReplayed(Unauthenticated):
    """The provider's token was used before; each works once."""

    code = "provider_proof_replayed"
    title = "The provider's token was used before; sign in with the provider again."


class ProofRequired(Unauthenticated):
    """The store wants a token of the provider; an identifier and a name prove nothing."""

    code = "provider_proof_required"
    title = "Send the provider's accessToken or authenticationToken."


class VerificationRequired(Problem):
    """A code was mailed to the address; `verify-code` with it completes the sign-in."""

    status, code = 401, "verification_required"
    title = "A code was sent to the e-mail address; sign in with it at verify-code."
    # The code that was sent must stay sent.
    remembered = True

    def __init__(self, requested: Requested | None = None) -> None:
        sent = {} if requested is None else requested._asdict()
        super().__init__(headers={"WWW-Authenticate": "Bearer"}, method="email", **sent)


class ProviderUnavailable(Unavailable):
    """The provider cannot be asked just now, and we have no keys of it; nothing was changed."""

    code = "provider_unavailable"
    title = "The provider cannot be reached; try again soon."
