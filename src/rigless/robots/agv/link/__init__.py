"""The link to the backend: publishing, remote settings and saved settings."""
