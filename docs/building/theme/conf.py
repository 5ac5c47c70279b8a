"""Sphinx's settings of the site. `building.site` gives the release."""

project = "rigless"
author = "the rigless authors"
project_copyright = "the rigless authors, Apache-2.0"

extensions = ["myst_parser"]
myst_enable_extensions = ["attrs_block", "colon_fence", "html_image", "strikethrough"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = [
    "myst.header",
    "misc.highlighting_failure",
]  # headings of any level; "…" in code
exclude_patterns = ["_repository/**"]
root_doc = "index"

highlight_language = "text"
html_theme = "furo"
html_title = "rigless"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = "_static/mark.svg"
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
html_search_summary = False
html_last_updated_fmt = None
pygments_style = "xcode"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_logo": "mark.svg",
    "dark_logo": "mark-dark.svg",
    "sidebar_hide_name": False,
}
