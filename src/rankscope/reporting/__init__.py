"""What people look at. Results are computed elsewhere; here they are only shown."""

from rankscope.registry import lazy_attributes

__all__: list[str] = []

__getattr__, __dir__ = lazy_attributes(__name__, {}, ("figures",))
