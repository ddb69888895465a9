"""What must hold: the tests as make calls them, the chapters on other machines and in the browser, the records."""
