"""What is right: pure judgement of recorded facts. A function returns None when all is lawful and raises otherwise."""
