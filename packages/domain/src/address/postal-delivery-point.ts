import { normalisePostcode } from './postcode.ts'
import { areaOf } from './postcode-areas.ts'

/** Every postcode area of Royal Mail, including those of the islands, the forces and Girobank. */
const areas = new Set(
  (
    'AB AL B BA BB BD BF BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT ' +
    'DY E EC EH EN EX FK FY G GIR GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA ' +
    'LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK ' +
    'SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE'
  ).split(' '),
)

/** The last two letters are never C, I, K, M, O or V. */
const inward = /^[0-9][ABD-HJLNP-UW-Z]{2}$/

/** 1A to 9T, and 9U to 9Z for addresses without an allocated one, without the letters that no postal code uses. */
const allocatedDps = /^[1-9][ABD-HJLNP-T]$|^9[UW-Z]$/

/**
 * Returns the content of an address's postal barcode: the postcode without a space, then the delivery point suffix, 7
 * to 9 characters. Returns undefined unless both are values that Royal Mail allocates: a check of the shape alone would
 * accept areas that do not exist, and a machine would sort a letter by them.
 */
export function postalDeliveryPoint({
  postcode,
  dps,
}: {
  postcode?: string | undefined
  dps: string | null
}): string | undefined {
  const normal = normalisePostcode(postcode ?? '')
  if (!normal || !dps || !allocatedDps.test(dps)) return undefined

  const [outward, rest] = normal.split(' ') as [string, string]
  return areas.has(areaOf(outward)) && inward.test(rest) ? `${outward}${rest}${dps}` : undefined
}
