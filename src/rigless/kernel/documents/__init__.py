"""JSON, TOML and YAML texts as data with the line of every key and element.

The parsers never raise because of the text: what is wrong with it is in `Document.problems`, as
sentences with lines. Reading the file is up to the caller.
"""

from rigless.kernel.documents.document import Document
from rigless.kernel.documents.json_text import parse_json
from rigless.kernel.documents.toml_text import parse_toml
from rigless.kernel.documents.yaml_text import parse_yaml

__all__ = ["Document", "parse_json", "parse_toml", "parse_yaml"]
