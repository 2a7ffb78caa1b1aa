import { faker } from '@faker-js/faker/locale/en_GB'
import type { Random } from '../chance/random.ts'
import { createWeighted } from '../chance/weighted.ts'

/** The culture whose first names match a surname. */
export type Culture = 'british' | 'muslim' | 'hindu' | 'sikh' | 'polish' | 'african' | 'chinese'

type Surname = { name: string; culture: Culture }

/** Bearers of a surname per 100,000 people: rounded public counts, in groups of about the same size. */
const groups = `
1120 british Smith
860 british Jones
610 british Williams
560 british Taylor Brown
460 british Davies
410 british Wilson
370 british Evans
330 british Thomas Johnson Roberts
290 british Robinson Thompson Wright Walker White
255 british Edwards Green Hall Wood Hughes Harris Lewis Martin Jackson Clarke
225 british Clark Turner Hill Scott Cooper Morris Ward Moore King Watson Baker Morgan
195 british Harrison Patterson Young Allen Mitchell James Anderson Phillips Lee Bell Parker Davis
165 british Bennett Miller Cook Shaw Campbell Stewart Richardson Simpson Marshall Collins Carter Murphy Gray Cox Adams
  Robertson Wilkinson O'Brien Kelly Price
135 british Murray Graham Foster Palmer Mills Rogers Chapman Russell Webb Mason Hunt Gibson Stevens Owen Knight Lloyd
  Powell Barnes Butler Matthews Reid Ellis Holmes Fisher Ross Walsh MacDonald Henderson Fletcher Rose
105 british Stone Pearson Andrews Ford Ryan Barker Dixon Day Fox Harvey Howard Jenkins Kennedy Lawrence Payne Saunders
  Griffiths West Cole Hart Brooks Burton Spencer Perry Hamilton Reynolds Ball Burns Cunningham Atkinson Armstrong
  Gardner O'Connor Wallace Hudson Gordon Ferguson Johnston Sullivan Byrne Hayes Rees Francis Newman Bailey
80 british Woods Watts Porter Nicholson Warren Duncan Booth Lowe Bradley Carr Austin Kerr Read Dawson Freeman Nelson
  Sutton Barrett Grant Berry Parry Parsons Stephenson Jordan Bird Pritchard Hopkins Harding Wells Black Curtis Burgess
  Lane Lambert O'Neill Doherty Boyd Stephens McDonald Marsh Hawkins Douglas Webster Bishop Oliver Page Hewitt Gilbert
  Wheeler Mann Higgins Alexander Morrison Fraser Cameron Arnold Nash Bates Long Poole Elliott
55 british Davidson Thomson Crawford Quinn Gallagher Coleman Sharp Rhodes French Goodwin Riley Norris Sinclair
  McKenzie MacKenzie MacLeod McLean Craig Paterson Bruce Cross Dean Ashton Hancock Skinner Sanders Chambers Bryant
  Gill Farrell Doyle McCarthy Fitzgerald Nolan Brennan Duffy Lynch Connolly Kavanagh O'Sullivan O'Reilly O'Donnell
  Vaughan Bowen Bevan Pugh Probert Gwynne Llewellyn Howell Prosser Yates Ingram Todd Barton Whitehead Wade Potter
  Sykes Gregory Nicholls Charlton Robson Blake Osborne Steele Moss Swift Drew Tucker Hobbs Peters Bond Holland Summers
  Winter Frost Moran Dyer Little Weston Barlow Preston
30 british Smyth Smythe Philips Reed Clough Steven Heath Whittaker Whitaker Kirk Leigh Lea Tomlinson Rowe Rowley
  Goddard Flynn Daly Hogan Maguire McGuire Keane Kane Casey Hickey O'Hara O'Leary O'Shea D'Arcy Buchanan Drummond
  Farquhar Galbraith Gillespie McIntyre MacIntyre McKay MacKay McGregor MacGregor McMillan MacMillan MacKinnon
  McLaughlin Urquhart Munro Forbes Irvine Cadwallader Trevelyan Penrose Tregenza Pascoe Nance Cholmondeley
  Featherstonehaugh Beauchamp Wriothesley Tyler Schofield Scholfield Hargreaves Entwistle Ramsbottom Braithwaite
  Postlethwaite Micklethwaite Oldroyd Akroyd Sidebottom Dewhurst Duckworth Bamford Clegg Ogden Kershaw Greenhalgh
  Lomax Cartwright Arkwright Wainwright Chandler Fowler Archer Sawyer Mercer Glover Tanner Slater Thatcher Fuller
  Weaver Dyson Haigh Hirst Crowther Firth Ibbotson Stead Beaumont Garside St.John Núñez Müller Brontë Hernández Gómez
  O’Malley
200 hindu Patel
60 hindu Shah Sharma Kumar
25 hindu Gupta Desai Mehta Joshi Chaudhary Das Roy Banerjee Iyer Rao Nair Fernandes Perera
150 sikh Singh
85 sikh Kaur
22 sikh Dhillon Sandhu Sidhu Bains Grewal Johal
170 muslim Khan
115 muslim Ahmed Ali Hussain
60 muslim Begum Mohammed Rahman Akhtar Malik Mahmood
28 muslim Muhammad Mohamed Hassan Iqbal Islam Uddin Miah Chowdhury Qureshi Mirza Aziz Yusuf Siddiqui
30 polish Nowak Kowalski Wiśniewski
12 polish Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak Dąbrowski Kozłowski Łukasik Mazur Krawczyk
25 african Okafor Adeyemi Mensah Osei Boateng Okeke
12 african Abubakar Adebayo Afolabi Appiah Asante Balogun Chukwu Eze Moyo Ndlovu Nwosu Ogunleye Owusu Oyelaran
35 chinese Chan Wong Li Chen
18 chinese Zhang Wang Liu Cheung Lam Leung Yang Ng Ho`

const listed = groups
  .trim()
  .split(/\n(?=\d)/)
  .flatMap((group) => {
    const [bearers, culture, ...names] = group.split(/\s+/)
    return names.map((name): [number, Surname] => [
      Number(bearers),
      { name: name.replace('.', ' '), culture: culture as Culture },
    ])
  })
const listedBearers = listed.reduce((sum, [bearers]) => sum + bearers, 0)

const drawListed = createWeighted(listed)
/** Undefined: one of the many rare names. */
const drawName = createWeighted<Surname | undefined>([
  ...listed,
  [100_000 - listedBearers, undefined],
])

const doubleBarrelled = 0.018

/** Draws a surname with the frequencies of Great Britain: few common ones, many rare ones, some double-barrelled. */
export function drawSurname(random: Random): Surname {
  if (random.chance(doubleBarrelled)) {
    const first = drawListed(random)
    const second = drawListed(random)
    if (first !== second) return { name: `${first.name}-${second.name}`, culture: first.culture }
  }
  return drawName(random) ?? { name: drawRareName(random), culture: 'british' }
}

const placeBeginnings =
  'Ack Ald Al Ash Bar Ben Birch Blax Brad Brails Bran Brom Brough Buck Burn Cald Carl Chad Chat Clay Clif Col Cran Crom Dal Darn Den Dun East Eccles El Fair Farn Fen Fox Gar Gold Gran Green Had Hal Ham Hand Har Hart Hather Hay Hazel Heb Hes High Hol Horn Hux Ick Kel Kirk Lang Law Led Lind Long Lud Mal Mar Mel Mer Mid Mil Mor Nor Oak Old Ot Pad Pem Pen Pick Pres Rad Raven Red Ris Rock Ros Row Rush Sand Sax Shel Sher Silver Stan Stave Stock Sut Swin Thorn Thur Tud Wal War Wat Wel Wen West Whit Wil Win Wolver Wood Wor Wyn'.split(
    ' ',
  )
const placeEndings =
  'ley ton ford ham field well wood worth by thorpe bridge stead burn borne bury combe croft dale den don gate hurst land man more shaw side son stone wall way wick ingham ington low ridge'.split(
    ' ',
  )
const clans =
  'Ado Allister Alpine Ardle Arthur Auley Bain Bride Cabe Call Callum Cann Carron Clellan Clung Clure Cormick Court Creadie Crossan Culloch Dade Dougall Elroy Ewan Fadden Farlane Gee Ginty Gowan Grath Hugh Innes Kechnie Kellar Kendrick Lachlan Laren Mahon Manus Master Nab Naught Neil Pherson Quade Queen Quillan Rae Sorley Sween Tavish Vicar Whirter'.split(
    ' ',
  )
const lastNames = faker.rawDefinitions.person?.last_name?.generic ?? []

/** Most are built like place names, of which there are thousands. */
function drawRareName(random: Random): string {
  const kind = random.unit()
  if (kind < 0.07) return `${kind < 0.05 ? 'Mc' : 'Mac'}${random.pick(clans)}`
  if (kind < 0.15 && lastNames.length > 0) return random.pick(lastNames)
  return random.pick(placeBeginnings) + random.pick(placeEndings)
}
