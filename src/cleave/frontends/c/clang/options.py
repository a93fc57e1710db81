"""What a user can choose about reading C; apart from the front end, so that options can be made without loading it."""

from cleave.frontends.c_options import ERROR_LABEL, Check, COptions

__all__ = ["ERROR_LABEL", "COptions", "Check"]
