/** Stands for the last day (YYYY-MM-DD) of a credential that an account does not have, such as a password. */
export const noCredentialDay = '9999-12-31'
