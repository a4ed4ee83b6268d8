"""The REST interface: one module per noun, holding what goes in, the views and what comes out."""
