"""The pages: forms and views over services and queries, drawn by templates."""
