// This module has no exports.
