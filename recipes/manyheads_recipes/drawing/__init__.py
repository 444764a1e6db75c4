"""How the drawing model was made."""
