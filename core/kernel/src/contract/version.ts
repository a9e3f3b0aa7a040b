/** The version of this package, equal to its manifest's: a test compares them. */
export const version = '0.1.0';
