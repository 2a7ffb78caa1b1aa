/** The purpose for which an authenticationHeader is sealed separately from its target, as in older print jobs. */
export const callbackAuthenticationPurpose = 'callback authentication'

/** The purpose for which signing secrets of callbacks are sealed. */
export const callbackSecretPurpose = 'callback signing secret'
