/**
 * Every rule of preflight, in the order in which they are checked and listed. `P0nn` are about the request, `P1nn` about
 * a file as such, `P2nn` about the content of a PDF, `P3nn` about images, `P4nn` about pages as a factory prints them,
 * `P5nn` about the letter.
 */
export const rules = {
  'unknown-member': {
    number: 'P001',
    says: 'A request has only members that the API knows.',
  },
  'unreadable-file': {
    number: 'P002',
    says: 'A value that looks like a file is a whole one in base64, of a kind that can be printed.',
  },
  'long-base64': {
    number: 'P003',
    says: 'A long value in base64 is a file.',
  },
  'letter-without-file': {
    number: 'P004',
    says: 'A letter has a file, unless its contract prints from a template.',
  },
  'file-empty': { number: 'P101', says: 'A file is not empty.' },
  'file-too-large': { number: 'P102', says: 'A file is no larger than the limit.' },
  'file-kind': {
    number: 'P103',
    says: 'A file is a PDF, GIF, PNG, JPEG, TIFF or BMP by its first bytes.',
  },
  'file-truncated': {
    number: 'P104',
    says: 'A file is complete: its structure matches its signature to the end.',
  },
  'file-polyglot': { number: 'P105', says: 'A file is of one kind only.' },
  'file-infected': { number: 'P106', says: 'The virus scanner finds nothing in a file.' },
  'file-missing': { number: 'P107', says: 'An announced file is uploaded in time.' },
  'file-time': {
    number: 'P108',
    says: 'A file is checked within the limit of processor time.',
  },
  'pdf-damaged': { number: 'P201', says: 'A PDF can be read without repair.' },
  'pdf-encrypted': { number: 'P202', says: 'A PDF is not encrypted.' },
  'pdf-no-pages': { number: 'P203', says: 'A PDF has at least one page.' },
  'pdf-javascript': { number: 'P204', says: 'A PDF contains no JavaScript.' },
  'pdf-action': {
    number: 'P205',
    says: 'A PDF contains no launch, submit, import, media or remote actions.',
  },
  'pdf-embedded-file': { number: 'P206', says: 'A PDF contains no embedded files.' },
  'pdf-xfa': { number: 'P207', says: 'A PDF has no XFA form.' },
  'pdf-rich-media': {
    number: 'P208',
    says: 'A PDF contains no rich media and no three-dimensional content.',
  },
  'pdf-too-complex': {
    number: 'P209',
    says: 'A PDF stays within the limits for objects, depth, decoded size and memory.',
  },
  'pdf-drawing': {
    number: 'P210',
    says: 'A page of a PDF stays within the limits for what it draws: operators, forms and patterns within each other, groups, clips, dashes, tiles, pixels, filled areas and steps of functions.',
  },
  'field-undrawn': {
    number: 'P211',
    says: 'A PDF draws the text of its form fields and text boxes, or we can draw it.',
  },
  'annotation-undrawn': {
    number: 'P212',
    says: 'A PDF draws its comments, such as highlights and shapes.',
  },
  'image-damaged': {
    number: 'P301',
    says: 'An image can be decoded completely, and is of a kind that is printed: not a PNG for Apple devices (CgBI), a BMP of OS/2 or with run-length coding, a JPEG with 12 bits for each colour, or a TIFF with colours other than unsigned integers.',
  },
  'image-too-large': {
    number: 'P302',
    says: 'An image is within the limits of pixels, frames, parts and compressed texts.',
  },
  'page-size': {
    number: 'P401',
    says: 'A page is A4 portrait within 2 mm, as its crop box shows it.',
  },
  'pages-max': { number: 'P402', says: 'A letter has no more pages than its contract allows.' },
  'print-area': { number: 'P403', says: 'A page has nothing outside the printable area.' },
  'address-window': {
    number: 'P404',
    says: 'The address window is clear where we print the address.',
  },
  'window-hidden-content': {
    number: 'P405',
    says: 'Nothing is hidden in the address window, because sorting machines may read it.',
  },
  'reserved-strip': { number: 'P406', says: 'The strips reserved for marks are clear.' },
  'font-not-embedded': {
    number: 'P407',
    says: 'Fonts are embedded.',
  },
  'supplied-file': {
    number: 'P408',
    says: 'A letter that is printed as supplied consists of exactly the one PDF that its contract names.',
  },
  template: {
    number: 'P409',
    says: 'A letter from a template can be typeset, within the limits of time and memory.',
  },
  'address-character': {
    number: 'P501',
    says: 'Every character of the address block can be printed.',
  },
  'address-empty': { number: 'P502', says: 'The address has a line with a letter or a digit.' },
  'address-left-out': {
    number: 'P503',
    says: 'Every part of the address is printed.',
  },
  'address-cut': {
    number: 'P504',
    says: 'Every part of the address and the recipient is printed whole.',
  },
  'address-blank': {
    number: 'P505',
    says: 'The recipient and each given line of the address have text.',
  },
  'address-control': {
    number: 'P506',
    says: 'The recipient and the address have no line breaks or other control characters.',
  },
  'address-postcode': {
    number: 'P507',
    says: 'A postcode has the shape and an area of a UK postcode.',
  },
  'address-premise': {
    number: 'P508',
    says: 'An address names a building, an organisation or a PO box.',
  },
  'address-repeated': {
    number: 'P509',
    says: 'No part of the address repeats another.',
  },
  'address-no-abode': {
    number: 'P510',
    says: 'The address is not that of a person without an address.',
  },
  'address-country': {
    number: 'P511',
    says: 'No line of a UK address is its country.',
  },
  'address-town': {
    number: 'P512',
    says: 'The post town is in the area of the postcode.',
  },
  'address-damaged': {
    number: 'P513',
    says: 'The recipient and the address have no replacement character (U+FFFD), which stands for text that was lost.',
  },
  'country-unknown': {
    number: 'P514',
    says: 'The country of an international address is known, and not the United Kingdom.',
  },
  'class-abroad': {
    number: 'P515',
    says: 'A letter abroad has no despatch method that exists only inside the United Kingdom.',
  },
} as const satisfies Record<string, { number: `P${number}`; says: string }>

export type RuleId = keyof typeof rules

/** Returns the number of a rule. A stored finding may be of a later release, whose rules this release does not know: P?. */
export function numberOf(rule: string): string {
  return Object.hasOwn(rules, rule) ? rules[rule as RuleId].number : 'P?'
}
