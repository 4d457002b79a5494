"""Which class plays which part. Only `app.main` and the commands look in here."""
