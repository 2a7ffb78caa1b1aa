/** What an authenticationHeader that is kept apart from its target is sealed for: print jobs of before have one. */
export const callbackAuthenticationPurpose = 'callback authentication'

/** What the secrets that sign callbacks are sealed for. */
export const callbackSecretPurpose = 'callback signing secret'
