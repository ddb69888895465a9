"""The site: extensions of Sphinx, the texts that the build computes, and the build."""
