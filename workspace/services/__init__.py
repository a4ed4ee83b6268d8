"""The write path: one public function per mutation, for every adapter alike."""
