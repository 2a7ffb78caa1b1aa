/**
 * The version of each interface, as in `info.version` of its OpenAPI document. A change that may break a client of the
 * interface raises the first number, an addition the second, and a correction of its description the third.
 */
export const interfaceVersions = {
  administration: '1.0.0',
  'driver-find': '1.7.0',
  'driver-sources': '1.0.0',
  fulfilment: '1.0.0',
  'full-driver-enquiry': '1.30.0',
  'print-request': '1.6.0',
  'thirdparty-access': '1.1.1',
  uat: '1.0.0',
  'vehicle-enquiry': '1.2.0',
} as const
