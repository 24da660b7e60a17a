"""Skills of drivers, and skills required by orders. Pure rules."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

MAX_SKILLS = 20
Skill = Annotated[str, Meta(min_length=1, max_length=50, examples=["cold_chain"])]
Skills = Annotated[list[Skill], Meta(max_length=MAX_SKILLS, examples=[["cold_chain", "heavy"]])]


def normalise(skills: Sequence[str]) -> list[str]:
    """Return distinct skills in lower case. Raise ValueError for an empty one."""
    normalised_skills = [" ".join(skill.split()).lower() for skill in skills]
    if not all(normalised_skills):
        raise ValueError("must not contain an empty skill.")
    return list(dict.fromkeys(normalised_skills))


def list_missing_skills(required: Sequence[str], skills: Sequence[str]) -> list[str]:
    """List the required skills that a driver lacks."""
    return [skill for skill in required if skill not in skills]
