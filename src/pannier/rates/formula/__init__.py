"""The formula language, with its own parser and exact fractions. Pure rules.

    expression  = term { ("+" | "-") term }
    term        = factor { ("*" | "/") factor }
    factor      = "-" factor | number | variable | "(" expression ")" | call
    call        = ("min" | "max") "(" expression { "," expression } ")"
                | ("ceil" | "floor" | "round") "(" expression ")"
                | "if" "(" expression comparison expression "," expression "," expression ")"
    comparison  = "<" | "<=" | ">" | ">=" | "==" | "!="

A formula that could divide by zero is rejected when it is saved. The check computes the
possible signs of every part: a denominator must never be zero.

A formula is compiled once into a program, which is then evaluated for each shipment.
"""

from pannier.rates.formula.evaluation import MAX_OPERATIONS, Formula, check_formula
from pannier.rates.formula.parsing import MAX_DEPTH, MAX_LENGTH, VARIABLES, parse_formula

__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MAX_OPERATIONS",
    "VARIABLES",
    "Formula",
    "check_formula",
    "parse_formula",
]
