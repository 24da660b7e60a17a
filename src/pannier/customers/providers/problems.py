"""Problems of sign-ins with a provider."""

from pannier.errors import NotFound, Problem, Unauthenticated, Unavailable
from pannier.verification.service import CodeTiming


class ProviderNotEnabled(NotFound):
    """The store has no settings for this provider."""

    code = "provider_not_enabled"
    title = "This sign-in provider is not enabled for the store."
    remedy = "Use another sign-in method."


class ProofInvalid(Unauthenticated):
    """The token is invalid or expired, or was issued to another client. `detail` says which."""

    code = "provider_proof_invalid"
    title = "The provider's token was rejected."
    remedy = "Sign in with the provider again."


class ProofReplayed(Unauthenticated):
    """A provider's token can be used only once."""

    code = "provider_proof_replayed"
    title = "The provider's token has already been used."
    remedy = "Sign in with the provider again."


class ProofRequired(Unauthenticated):
    """The store requires a token from the provider. An identifier and a name are not enough."""

    code = "provider_proof_required"
    title = "The provider's token is missing."
    remedy = "Send `accessToken` or `authenticationToken`."


class VerificationRequired(Problem):
    """A code was sent to the address."""

    status, code = 401, "verification_required"
    title = "The email address must be verified first."
    remedy = "To complete the sign-in, send the code from the email to `verify-code`."
    # Commit, so that the code that was sent stays valid.
    keeps_changes = True

    def __init__(self, timing: CodeTiming | None = None) -> None:
        timing_fields = {} if timing is None else timing._asdict()
        super().__init__(headers={"WWW-Authenticate": "Bearer"}, method="email", **timing_fields)


class ProviderUnavailable(Unavailable):
    """The provider did not respond, and its keys are not cached. Nothing was changed."""

    code = "provider_unavailable"
    title = "The provider cannot be reached."
    remedy = "Try again soon."
