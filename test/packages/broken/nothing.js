// Its author has forgotten to export anything.
