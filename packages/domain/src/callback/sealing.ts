/**
 * What a callback's authenticationHeader is sealed for at rest: who seals it and who opens it name the same purpose.
 */
export const callbackAuthenticationPurpose = 'callback authentication'
