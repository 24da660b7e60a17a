"""The form of a recurring order: plain choices for common rules, and a text for others."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final

from pannier.console.forms import Field, Form
from pannier.console.session import FormData

DAILY, WEEKDAYS, WEEKLY, MONTHLY, CUSTOM = "daily", "weekdays", "weekly", "monthly", "custom"
WORKDAYS_RULE: Final = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
WEEKDAY_OPTIONS: Final = (
    ("MO", "Monday"), ("TU", "Tuesday"), ("WE", "Wednesday"), ("TH", "Thursday"),
    ("FR", "Friday"), ("SA", "Saturday"), ("SU", "Sunday"),
)  # fmt: skip
MONTH_DAY_OPTIONS: Final = (
    *((str(day), f"Day {day}") for day in range(1, 32)),
    ("-1", "Last day"),
)
LEAD_OPTIONS: Final = (
    ("0", "On the same day, at midnight"),
    ("1", "The day before"),
    *((str(days), f"{days} days before") for days in (2, 3, 5, 7, 14, 30)),
)
NAME: Final = Field(name="name", label="Name", required=True, nullable=False)
PATTERN: Final = Field(
    name="pattern", label="Repeat", kind="choice", required=True, nullable=False, default=WEEKLY,
    options=(
        (DAILY, "Every day"), (WEEKDAYS, "Every weekday (Monday to Friday)"),
        (WEEKLY, "Every week on"), (MONTHLY, "Every month on"), (CUSTOM, "Custom rule"),
    ),
)  # fmt: skip
DAYS: Final = Field(name="weekdays", label="Days of the week", kind="choices",
                    options=WEEKDAY_OPTIONS, help="For “Every week on”.")  # fmt: skip
MONTH_DAY: Final = Field(
    name="month_day", label="Day of the month", kind="choice", options=MONTH_DAY_OPTIONS,
    nullable=False, default="1",
    help="For “Every month on”. Months without this day are left out.",
)  # fmt: skip
RULE: Final = Field(
    name="rule", label="Custom rule", placeholder="FREQ=MONTHLY;BYDAY=1MO",
    help="An RRULE, such as FREQ=WEEKLY;INTERVAL=2;BYDAY=TU for every second Tuesday.",
)  # fmt: skip
STARTS_ON: Final = Field(name="starts_on", label="First day", kind="day", nullable=False)
UNTIL: Final = Field(name="until", label="Last day", kind="day", help="Leave empty for no end.")
LEAD: Final = Field(
    name="lead_days", label="Create orders", kind="choice", options=LEAD_OPTIONS, numeric=True,
    nullable=False, default="1",
)  # fmt: skip
FORM: Final = Form((NAME, PATTERN, DAYS, MONTH_DAY, RULE, STARTS_ON, UNTIL, LEAD))


def read_rule(form_data: FormData) -> str:
    """Return the rule that the form describes."""
    pattern = form_data.get("pattern", WEEKLY)
    if pattern == CUSTOM:
        return form_data.get("rule", "").strip()
    rules = {
        DAILY: "FREQ=DAILY",
        WEEKDAYS: WORKDAYS_RULE,
        WEEKLY: f"FREQ=WEEKLY;BYDAY={','.join(form_data.get_all('weekdays'))}",
        MONTHLY: f"FREQ=MONTHLY;BYMONTHDAY={form_data.get('month_day', '1')}",
    }
    until = form_data.get("until", "").replace("-", "")
    return f"{rules.get(pattern, '')}{f';UNTIL={until}' if until else ''}"


def fill_rule(rule: str) -> dict[str, str]:
    """Return the form's values for a rule."""
    parts = dict(part.split("=", 1) for part in rule.split(";"))
    until = parts.pop("UNTIL", "")
    values = {"until": f"{until[:4]}-{until[4:6]}-{until[6:]}" if until else ""}
    match parts:
        case {"FREQ": "DAILY", **other_parts} if not other_parts:
            return {**values, "pattern": DAILY}
        case {"FREQ": "WEEKLY", "BYDAY": days, **other_parts} if not other_parts:
            is_workdays = rule.startswith(WORKDAYS_RULE)
            weekdays = {"weekdays": days.replace(",", "\n")}
            return {**values, **weekdays, "pattern": WEEKDAYS if is_workdays else WEEKLY}
        case {"FREQ": "MONTHLY", "BYMONTHDAY": day, **other_parts} if (
            not other_parts and "," not in day
        ):
            return {**values, "pattern": MONTHLY, "month_day": day}
    return {"pattern": CUSTOM, "rule": rule}


def fill_new(name: str, today: date) -> dict[str, str]:
    """Return the values of a new form: every week on tomorrow's weekday."""
    tomorrow = today + timedelta(days=1)
    return {
        "name": name,
        "pattern": WEEKLY,
        "weekdays": WEEKDAY_OPTIONS[tomorrow.weekday()][0],
        "month_day": str(tomorrow.day),
        "starts_on": tomorrow.isoformat(),
        "lead_days": "1",
    }


def fill_saved(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a saved recurring order."""
    return {
        "name": record["name"],
        "starts_on": record["starts_on"],
        "lead_days": str(record["lead_days"]),
        **fill_rule(record["rule"]),
    }


def make_body(form_data: FormData) -> dict[str, Any]:
    """Return the body of the API call."""
    starts_on = form_data.get("starts_on", "")
    return {
        "name": form_data.get("name", ""),
        "rule": read_rule(form_data),
        "lead_days": int(form_data.get("lead_days", "1"))
        if form_data.get("lead_days", "1").isdecimal()
        else 1,
        **({"starts_on": starts_on} if starts_on else {}),
    }
