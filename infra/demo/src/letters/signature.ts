import { rgb } from 'pdf-lib'

/** A signature, about 130 by 40 units, usable in a PDF and in a picture. */
export const signaturePath =
  'M 4 30 C 10 2 24 -2 22 14 C 20 26 8 26 10 18 M 22 30 C 26 18 30 16 30 26 C 30 32 36 28 38 20 C 40 30 46 30 48 20 C 50 12 54 12 52 22 C 50 34 60 30 64 18 M 74 8 C 62 12 62 34 74 32 C 88 30 90 8 74 8 M 90 18 C 86 26 88 32 96 24 L 100 14 C 96 28 98 32 106 22 C 112 14 114 20 112 26 C 118 32 124 22 132 12'

export const signatureInk = rgb(0.1, 0.16, 0.42)
