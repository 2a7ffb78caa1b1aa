/** The purpose for which signing secrets of callbacks are sealed. */
export const callbackSecretPurpose = 'callback signing secret'
