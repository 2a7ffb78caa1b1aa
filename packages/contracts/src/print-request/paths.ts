export const printRequestPrefix = '/print-request'
