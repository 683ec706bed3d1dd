"""An implicit PD controller that drives joints towards a pose."""
