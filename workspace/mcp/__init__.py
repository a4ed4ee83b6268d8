"""The bridge to agent hosts: Streamable HTTP at ``/mcp``, stateless, tools over the services and queries."""
