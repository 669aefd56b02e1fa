"""The rules, compiled. Functions over one record, which know no API and no text."""
