import { foldPlace } from './post-towns.ts'

/**
 * Cities whose name means one place to everybody. Each has the areas in which an ordinary address may have it as its
 * last line: its own area, the areas around it, whose suburbs people count to the city, and areas with a village of its
 * name. Names of counties (Durham), and towns whose name is common (Hythe, Newport), are left out: nothing is sure
 * about them.
 */
const source = `
ABERDEEN: AB DD IV PH
BELFAST: BT
BIRMINGHAM: B CV DE DY LE ST WR WS WV
BOURNEMOUTH: BH DT SO SP
BRISTOL: BA BS GL NP SN TA
CARDIFF: CF NP
CHELMSFORD: CM CO IG RM SS
COLCHESTER: CM CO IP SS
COVENTRY: B CV LE NN
DUNDEE: AB DD KY PH
EDINBURGH: EH FK G KY ML TD
EXETER: DT EX PL TA TQ
GLASGOW: EH FK G KA ML PA
GLOUCESTER: BS GL HR NP OX SN WR
HUDDERSFIELD: BD HD HX OL S WF
INVERNESS: AB HS IV KW PH
IPSWICH: CB CO IP NR
LEEDS: BD DN HD HG HX LS ME S WF YO
LEICESTER: B CV DE LE NG NN PE
LIVERPOOL: CH L PR WA WN
LONDON: AL BR CM CR DA E EC EN GU HA HP IG KT LU N NW RH RM SE SG SL SM SS SW TN TW UB W WC WD
MANCHESTER: BB BL CW HD M OL PR SK WA WN
MILTON KEYNES: HP LU MK NN OX SG
NORWICH: IP NR PE
NOTTINGHAM: DE DN LE LN NG S
OXFORD: GL HP MK NN OX RG SN
PETERBOROUGH: CB LE LN MK NN PE SG
PLYMOUTH: EX PL TQ TR
PORTSMOUTH: GU PO SO
READING: GU HP OX RG SL
SHEFFIELD: BD DE DN HD HG NG S SK WF
SOUTHAMPTON: BH PO SO SP
STOKE ON TRENT: CW DE SK ST TF WS
SWANSEA: CF LD SA
WOLVERHAMPTON: B DY ST TF WS WV
YORK: BB BD DL DN HD HG HU HX LS S TS WF YO
`

const cities: ReadonlyMap<string, readonly string[]> = new Map(
  source
    .trim()
    .split('\n')
    .map((row) => {
      const [name = '', areas = ''] = row.split(': ')
      return [name, areas.split(' ')] as const
    }),
)

/** Returns true if a text is the name of a well-known city that is surely not the place of an address in the area. */
export function isCityElsewhere(area: string, text: string): boolean {
  return cities.get(foldPlace(text))?.includes(area) === false
}
