"""Output for people: tables, figures and pages of results that are computed elsewhere."""

from rankscope.registry import lazy_attributes

__all__: list[str] = []

__getattr__, __dir__ = lazy_attributes(__name__, {}, ("figures",))
