/** Outward codes with their post town. `LS1-20` means LS1 to LS20. */
const towns = `
London E1-18 N1-22 NW1-11 SE1-28 SW2-20 W2-14 SW1A SW1V SW1W SW1X SW1P W1T W1U W1D EC1V EC1R EC2A EC1M WC1N WC1X WC2H,
Birmingham B1-38 B42-45, Manchester M1-9 M11-16 M18-25 M40, Liverpool L1-19 L24-28, Leeds LS1-20 LS25-27, Sheffield
S1-14 S17 S20 S35, Bristol BS1-11 BS13-16 BS30-37, Newcastle upon Tyne NE1-7 NE12-13 NE15-16, Nottingham NG1-12
NG14-16, Leicester LE1-9, Coventry CV1-8, Glasgow G1-5 G11-15 G20-23 G31-34 G40-46 G51-53, Edinburgh EH1-17, Aberdeen
AB10-16 AB21-25, Dundee DD1-5, Inverness IV1-5, Perth PH1-3, Stirling FK7-9, Falkirk FK1-2, Paisley PA1-3, Kilmarnock
KA1-3, Ayr KA6-8, Dumfries DG1-2, Kirkcaldy KY1-2, Dunfermline KY11-12, Galashiels TD1, Lerwick ZE1, Kirkwall KW15,
Stornoway HS1-2, Cardiff CF3 CF5 CF10-11 CF14-15 CF23-24, Swansea SA1-9, Newport NP10-11 NP18-20, Wrexham LL11-14,
Llandudno LL30, Bangor LL57, Aberystwyth SY23, Carmarthen SA31-33, Haverfordwest SA61-62, Bridgend CF31-32 CF35,
Merthyr Tydfil CF47-48, Bradford BD1-15, Huddersfield HD1-5 HD7-8, Wakefield WF1-4, Halifax HX1-4, York YO1 YO10 YO19
YO23-24 YO26 YO30-32 YO41, Harrogate HG1-3, Hull HU1-9, Doncaster DN1-12, Grimsby DN31-34 DN36-37, Lincoln LN1-6,
Derby DE1 DE3 DE21-24 DE72-74, Stoke-on-Trent ST1-4 ST6-12, Stafford ST16-21, Wolverhampton WV1-11, Walsall WS1-6,
Dudley DY1-3, Worcester WR1-9, Hereford HR1-4, Gloucester GL1-4 GL19, Cheltenham GL50-54, Shrewsbury SY1-5, Telford
TF1-8, Northampton NN1-7, Milton Keynes MK1-15, Luton LU1-4, Bedford MK40-45, Cambridge CB1-5 CB21-25, Peterborough
PE1-8, Norwich NR1-16, Ipswich IP1-10, Colchester CO1-7, Chelmsford CM1-3, Southend-on-Sea SS1-3, Basildon SS13-16,
Romford RM1-7, Ilford IG1-6, Croydon CR0 CR2, Bromley BR1-2, Kingston upon Thames KT1-2, Sutton SM1-3, Harrow HA1-3,
Uxbridge UB8-10, Watford WD17-19 WD24-25, St Albans AL1-4, Stevenage SG1-2, Oxford OX1-4 OX33 OX44, Reading RG1-2
RG4-7 RG30-31, Slough SL1-3, Swindon SN1-6 SN25-26, Bath BA1-3, Taunton TA1-4, Exeter EX1-6, Plymouth PL1-9, Torquay
TQ1-2, Truro TR1-4, Penzance TR18-20, Bournemouth BH1-11, Poole BH12-17, Dorchester DT1-2, Salisbury SP1-5,
Southampton SO14-19 SO30-32 SO40 SO45, Portsmouth PO1-6, Winchester SO21-23, Guildford GU1-5, Brighton BN1-2, Hove
BN3, Eastbourne BN20-23, Hastings TN34-35, Tunbridge Wells TN1-4, Canterbury CT1-4, Dover CT15-17, Maidstone ME14-18,
Gillingham ME7-8, Preston PR1-5, Blackpool FY1-4, Blackburn BB1-2, Burnley BB10-12, Bolton BL1-7, Oldham OL1-4 OL8-9,
Rochdale OL11-12 OL16, Stockport SK1-8 SK12, Wigan WN1-6, Warrington WA1-5, Chester CH1-4, Crewe CW1-4, Lancaster
LA1-2, Carlisle CA1-7, Durham DH1 DH6-7, Darlington DL1-3, Sunderland SR1-6, Middlesbrough TS1-8`
  .trim()
  .replaceAll('\n', ' ')
  .split(', ')

/** One entry per outward code, so a town with many of them is drawn more often. */
export const outwardCodes: readonly { postTown: string; outward: string }[] = towns.flatMap(
  (line) => {
    const start = line.search(/ [A-Z]{1,2}\d/)
    const postTown = line.slice(0, start)
    const codes = line.slice(start + 1).split(' ')
    return codes.flatMap(spread).map((outward) => ({ postTown, outward }))
  },
)

function spread(codes: string): string[] {
  const [, area = codes, from = '', to] = /^([A-Z]+)(\d+)-(\d+)$/.exec(codes) ?? []
  if (to === undefined) return [codes]
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, n) => area + (Number(from) + n))
}
