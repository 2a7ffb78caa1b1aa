/** Values of the driver record services, as in the interface. */
export const genders = ['Male', 'Female'] as const
export type Gender = (typeof genders)[number]

export const licenceTypes = ['Provisional', 'Full'] as const
export type LicenceType = (typeof licenceTypes)[number]

export const categoryTypes = licenceTypes
export type CategoryType = LicenceType

export const licenceStatuses = [
  'Valid',
  'Disqualified',
  'Revoked',
  'Surrendered',
  'Expired',
  'Exchanged',
  'Refused',
] as const
export type LicenceStatus = (typeof licenceStatuses)[number]

export const licenceStatusQualifiers = [
  'For re-assessment only',
  'Photo licence invitation sent',
  'Short period disqualification',
  'Until test passed',
  'Until extended test passed',
  'Pending sentence',
  'For life',
] as const
export type LicenceStatusQualifier = (typeof licenceStatusQualifiers)[number]

export const disqualificationTypes = [
  'Disqualified until Test Pass',
  'Disqualified until Extended Test Pass',
  'Revoked until Test Pass',
  'Revoked test passed',
  'Extended test passed',
  'Test passed',
  'Appeal against Revocation until Test Pass',
  'Appeal against Disqualification until Extended Test Pass',
  'Appeal against Disqualification until Test Pass',
] as const
export type DisqualificationType = (typeof disqualificationTypes)[number]
