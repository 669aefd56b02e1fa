"""The compiled rules: functions that read and change one record, without any API or text."""
