"""Wrong and odd variants of both references, each an override of a seam, each a program of its own."""
