"""What leaves the site: slides, the PDF, exams, handouts, the zip, and the files of a release."""
