"""What is made of a capture: secrets out, a summary, and the folder's handoff page. Text in, text out."""
