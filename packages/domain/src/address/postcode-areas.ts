/**
 * The areas of postcodes: the letters with which a postcode begins. Those of the United Kingdom and of the crown
 * dependencies (GY, IM, JE), and those without a place on the map: BF (forces), BX (large receivers), GIR and XX
 * (returns). Gibraltar has GX. Source: the public list of postcode areas of the Office for National Statistics.
 */
const areas = new Set(
  (
    'AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY ' +
    'G GL GU HA HD HG HP HR HS HU HX IG IP IV KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX ' +
    'PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN ' +
    'WR WS WV YO ZE GY IM JE BF BX GIR GX XX'
  ).split(' '),
)

/** Returns true if a normalised postcode is in an area that exists. */
export function isPostcodeArea(postcode: string): boolean {
  return areas.has(/^[A-Z]+/.exec(postcode)?.[0] ?? '')
}

/** Returns true for the single postcode of an overseas territory, whose shape no other postcode has. */
export function isOverseasPostcode(text: string): boolean {
  return /^(ASCN|STHL|TDCU|FIQQ|SIQQ|BBND|BIQQ|PCRN) ?1ZZ$/i.test(text)
}
