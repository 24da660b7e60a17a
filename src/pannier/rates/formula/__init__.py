"""The language of formulas: read by a parser of our own, reckoned in exact fractions. Pure rules.

    expression  = term { ("+" | "-") term }
    term        = factor { ("*" | "/") factor }
    factor      = "-" factor | number | variable | "(" expression ")" | call
    call        = ("min" | "max") "(" expression { "," expression } ")"
                | ("ceil" | "floor" | "round") "(" expression ")"
                | "if" "(" expression comparison expression "," expression "," expression ")"
    comparison  = "<" | "<=" | ">" | ">=" | "==" | "!="

A formula that could divide by zero is refused before it is kept. For that, each part of it is
asked which signs its value can have: a denominator must never be zero.

A formula is compiled once into a program that is evaluated for each shipment.
"""

from pannier.rates.formula.evaluation import MAX_OPERATIONS, Formula, check
from pannier.rates.formula.parsing import DEEPEST, LONGEST, VARIABLES, parse

__all__ = ["DEEPEST", "LONGEST", "MAX_OPERATIONS", "VARIABLES", "Formula", "check", "parse"]
