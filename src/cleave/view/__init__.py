"""Pages about runs, made from reviews: HTML and SVG as text. The server and the report use the same."""
