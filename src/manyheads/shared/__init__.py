"""What Python and the page's code share: tables, and how words and numbers are read and written."""
