-- How alike two names are, as a number, so that a search orders drivers by it. The service passes the weights of the
-- comparison, see enquiry/name-weights.ts: other weights need no migration. A word is compared as it is written and as
-- it is said. The weights belong to these functions: a change of what they return needs a new fit.

-- The comparisons of two words. The same for (a, b) as for (b, a); the first is the constant 1. Metaphone takes no
-- more than 255 bytes: 80 letters of our words, which have up to three.
create function name_comparisons(a text, a_said text, b text, b_said text) returns float8[]
language plpgsql immutable strict parallel safe as $$
declare
  a_word constant text := left(a, 80);
  b_word constant text := left(b, 80);
  a_sound constant text := left(lower(translate(a_said, 'AIYOUWC', 'aiiouoc')), 80);
  b_sound constant text := left(lower(translate(b_said, 'AIYOUWC', 'aiiouoc')), 80);
  a_bare constant text := translate(a_word, 'aeiouyhw', '');
  b_bare constant text := translate(b_word, 'aeiouyhw', '');
  a_metaphone constant text := metaphone(a_word, 8);
  b_metaphone constant text := metaphone(b_word, 8);
  letters constant float8 := greatest(length(a_word) + length(b_word), 1);
  longer constant float8 := greatest(length(a_word), length(b_word), 1);
begin
  return array[
    1,
    (a_said = b_said)::integer,
    levenshtein(a_word, b_word) / longer,
    levenshtein(a_word, b_word, 1, 1, 2) / letters,
    levenshtein(a_sound, b_sound)::float8 / greatest(length(a_sound), length(b_sound), 1),
    levenshtein(a_bare, b_bare)::float8 / greatest(length(a_bare), length(b_bare), 1),
    levenshtein(a_metaphone, b_metaphone)::float8 / greatest(length(a_metaphone), length(b_metaphone), 1),
    (a_bare = b_bare)::integer,
    similarity(a_word, b_word),
    similarity(reverse(a_word), reverse(b_word)),
    difference(a_word, b_word),
    (soundex(a_word) = soundex(b_word))::integer,
    (array[dmetaphone(a_word), dmetaphone_alt(a_word)] && array[dmetaphone(b_word), dmetaphone_alt(b_word)])::integer,
    (array[dmetaphone(a_sound), dmetaphone_alt(a_sound), soundex(a_sound)]
      && array[dmetaphone(b_sound), dmetaphone_alt(b_sound), soundex(b_sound)])::integer,
    (left(a_word, 1) = left(b_word, 1))::integer,
    (left(a_word, 3) = left(b_word, 3))::integer,
    (right(a_word, 1) = right(b_word, 1))::integer,
    (right(a_word, 3) = right(b_word, 3))::integer,
    (starts_with(a_word, b_word) or starts_with(b_word, a_word))::integer,
    (right(a_word, length(b_word)) = b_word or right(b_word, length(a_word)) = a_word)::integer,
    least(length(a_word), length(b_word))
  ];
end $$;

-- The logarithm of the odds that two words are one name, by all comparisons; less than that of equal words.
create function weighted_likeness(a text, a_said text, b text, b_said text, weights float8[]) returns float8
language sql immutable strict parallel safe
return (
  select least(sum(comparison * weight), 9.5)
  from unnest(name_comparisons(a, a_said, b, b_said), weights) as each (comparison, weight));

-- The same, 10 for equal words. Most words have so few letters in common that the comparisons, which take longer, can
-- be saved. Not strict, so that PostgreSQL puts it in place of its call.
create function word_likeness(a text, a_said text, b text, b_said text, weights float8[]) returns float8
language sql immutable parallel safe
return case
  when a = b then 10
  when a_said <> b_said and levenshtein(left(a, 100), left(b, 100)) > 0.65 * greatest(length(a), length(b)) then -100
  else weighted_likeness(a, a_said, b, b_said, weights)
end;

-- Last names of as many words are compared as a whole, without spaces. The sound tells the words, because it joins
-- particles to the word they belong to.
create function last_likeness(asked text, asked_said text, held text, held_said text, weights float8[]) returns float8
language plpgsql immutable strict parallel safe as $$
begin
  if cardinality(string_to_array(asked_said, ' ')) <> cardinality(string_to_array(held_said, ' ')) then
    return -100;
  end if;
  return word_likeness(
    replace(asked, ' ', ''), replace(asked_said, ' ', ''),
    replace(held, ' ', ''), replace(held_said, ' ', ''), weights);
end $$;

-- How alike each asked word is to the nearest of the words that are held: 8 for a short form. `short_forms` has those
-- of each asked word, a space between them. What is asked is taken apart once, by name_asked, not for each row.
create function word_likenesses(
  asked text[], asked_said text[], short_forms text[], held text, held_said text, weights float8[]
) returns float8[]
language plpgsql immutable strict parallel safe as $$
declare
  held_words constant text[] := string_to_array(name_joined(held), ' ');
  held_sounds constant text[] := string_to_array(held_said, ' ');
  likenesses float8[] := '{}';
  nearest float8;
begin
  for place in 1 .. cardinality(asked) loop
    if asked[place] = any (held_words) then
      nearest := 10;
    elsif string_to_array(short_forms[place], ' ') && held_words then
      nearest := 8;
    else
      nearest := -100;
      for held_place in 1 .. cardinality(held_words) loop
        nearest := greatest(nearest, word_likeness(
          asked[place], asked_said[place],
          held_words[held_place], coalesce(held_sounds[held_place], held_words[held_place]), weights));
      end loop;
    end if;
    likenesses[place] := nearest;
  end loop;
  return likenesses;
end $$;

-- Of the asked words, how alike the least alike is to a word that is held: Jon is John of John Paul.
create function least_likeness(likenesses float8[]) returns float8
language sql immutable strict parallel safe
return (select coalesce(min(likeness), -100) from unnest(likenesses) as likeness);

-- The same for the words of a full name, each among the last and the first names. -100 unless one is at least `enough`
-- like a word of the last name.
create function full_likeness(last_likenesses float8[], first_likenesses float8[], enough float8) returns float8
language sql immutable parallel safe
return (
  select case when max(as_last) >= enough then min(greatest(as_last, as_first)) else -100 end
  from unnest(last_likenesses, first_likenesses) as each (as_last, as_first));

-- The other first names that a first name is known by, in both directions: a lookup in a constant, which PostgreSQL
-- reads once for each connection. Two short forms of one name count, too.
do $do$
begin
  execute format(
    $create$
      create function short_forms(word text) returns text[]
      language plpgsql immutable strict parallel safe as $body$
      begin
        return coalesce(string_to_array(%L::jsonb ->> word, ' '), '{}');
      end $body$
    $create$,
    (with form as (
      select formal, short
      from jsonb_each_text('{
  "abigail": "abby abbie abi gail", "abraham": "abe bram", "adelaide": "addie addy della", "agnes": "aggie nessa",
  "albert": "al bert bertie", "alexander": "alex alec sandy sasha xander lex al",
  "alexandra": "alex sandra lexi sandy sasha alix", "alfred": "alf alfie fred freddie", "alice": "ali allie",
  "alison": "ali allie", "amanda": "mandy", "amelia": "amy millie mellie", "andrew": "andy drew",
  "angela": "angie ange", "ann": "annie nan nancy", "anna": "annie", "annabelle": "anna bella belle",
  "anne": "annie nan nancy", "anthony": "tony ant", "antonia": "toni", "archibald": "archie baldie",
  "arthur": "art artie", "augustus": "gus", "barbara": "barb babs barbie", "barnaby": "barney",
  "bartholomew": "bart", "beatrice": "bea trixie bee", "benedict": "ben", "benjamin": "ben benny benji",
  "bernadette": "bernie", "bernard": "bernie", "bertha": "bertie", "bertram": "bert bertie",
  "bridget": "bridie biddy", "bronwen": "bron", "calvin": "cal", "cameron": "cam", "carol": "caz",
  "caroline": "carrie caro lina", "catherine": "cath cathy kate katie kitty kay kit", "cecilia": "cissie celia",
  "charles": "charlie chas chuck", "charlotte": "charlie lottie lotty char", "chloe": "clo", "christian": "chris",
  "christina": "chris chrissie tina christie", "christine": "chris chrissie tina christie",
  "christopher": "chris kit topher", "clement": "clem", "clementine": "clem", "clifford": "cliff",
  "constance": "connie", "cordelia": "cordy delia", "cornelius": "con neil", "cynthia": "cindy", "cyril": "cy",
  "daniel": "dan danny", "daniela": "dani", "danielle": "dani", "david": "dave davy davey dai",
  "deborah": "deb debbie debby debra", "dennis": "den denny", "derek": "del", "desmond": "des", "dominic": "dom nic",
  "donald": "don donnie", "dorothy": "dot dottie dolly dora", "douglas": "doug dougie", "duncan": "dunc",
  "ebenezer": "eben", "edith": "edie", "edmund": "ed eddie ted ned", "edward": "ed eddie ted teddy ned ward",
  "edwin": "ed eddie", "eleanor": "ellie nell nellie ella nora lenora",
  "elizabeth": "liz lizzie lizzy beth betty betsy bess bessie eliza elsie libby lisa liza lily elspeth",
  "ellen": "nell nellie ellie", "emily": "em emmy millie milly", "emma": "em emmy", "ernest": "ernie",
  "esther": "essie hetty", "eugene": "gene", "eugenia": "genie", "evelyn": "eve evie", "ezekiel": "zeke",
  "ferdinand": "ferdie", "florence": "flo florrie flossie", "frances": "fran frannie francie fanny frankie",
  "francis": "frank frankie fran", "franklin": "frank frankie", "frederica": "freda freddie",
  "frederick": "fred freddie freddy rick", "gabriel": "gabe", "gabrielle": "gabby gaby", "gareth": "gaz",
  "gary": "gaz", "geoffrey": "geoff jeff", "george": "georgie", "georgina": "georgie gina", "gerald": "gerry jerry",
  "geraldine": "gerry", "gerard": "gerry jerry", "gertrude": "gertie trudy", "gilbert": "gil bert",
  "gillian": "gill gilly jill", "gladys": "glad", "graham": "gray", "gregory": "greg", "gwendolyn": "gwen wendy",
  "gwenllian": "gwen", "hannah": "annie", "harold": "harry hal", "harriet": "hattie hatty harry", "hector": "heck",
  "helen": "nell nellie lena", "henrietta": "hettie etta hattie", "henry": "harry hal hank",
  "herbert": "bert herb bertie", "hilary": "hil", "horace": "horry", "howard": "howie", "hubert": "hugh bert",
  "hugh": "hughie huw", "humphrey": "humph", "ignatius": "iggy", "irene": "rene", "isaac": "ike zac",
  "isabel": "bel belle izzy bella isa", "isabella": "bella izzy belle ella", "isidore": "izzy", "jacob": "jake jack",
  "jacqueline": "jackie jacqui", "james": "jim jimmy jamie jem", "jane": "janie jenny jenna",
  "janet": "jan jenny nettie", "janice": "jan", "jason": "jay jase", "jean": "jeannie", "jeffrey": "jeff",
  "jemima": "mima jem", "jennifer": "jen jenny jenni", "jeremiah": "jerry", "jeremy": "jerry jez",
  "jessica": "jess jessie", "joan": "joanie", "joanna": "jo joey", "joanne": "jo", "johanna": "jo hanna",
  "john": "jack johnny jon ian", "jonathan": "jon jonny johnny nathan", "joseph": "joe joey jo",
  "josephine": "jo josie", "joshua": "josh", "joyce": "joy", "judith": "judy jude", "julia": "jules julie",
  "julian": "jules", "julie": "jules", "katherine": "kath kathy kate katie kitty kay kit",
  "kathleen": "kath kathy kate kay kitty", "kathryn": "kath kathy kate katie", "kenneth": "ken kenny",
  "kevin": "kev", "kimberley": "kim", "kristina": "kris tina", "laura": "laurie", "lauren": "laurie",
  "laurence": "larry laurie loz", "lawrence": "larry laurie lawrie", "leonard": "len lenny leo", "leonora": "nora",
  "leopold": "leo", "leslie": "les", "lewis": "lew lewie", "lillian": "lil lily lilly", "linda": "lin lindy",
  "llewellyn": "llew lyn", "lorraine": "lorrie", "louis": "lou louie", "louisa": "lou lulu", "louise": "lou lulu",
  "lucille": "lucy", "lucinda": "lucy cindy", "lydia": "liddy", "mabel": "may", "madeleine": "maddie maddy",
  "magdalena": "lena magda", "malcolm": "mal malc", "marcus": "marc mark",
  "margaret": "maggie meg megan peg peggy madge marge margie greta rita daisy mags", "maria": "mia mary",
  "marian": "mary", "marianne": "mary anne", "marilyn": "mary", "marjorie": "marge margie",
  "martha": "marty mattie patty", "martin": "marty mart", "martina": "tina",
  "mary": "molly polly may mamie moll minnie", "matilda": "tilly tilda mattie maud", "matthew": "matt matty",
  "maureen": "mo", "maurice": "morrie mo", "maximilian": "max", "melanie": "mel", "melissa": "mel lissa missy",
  "melvin": "mel", "mercedes": "mercy", "michael": "mick mike mickey mikey micky", "michelle": "shell chelle",
  "mildred": "millie milly", "millicent": "millie milly", "minerva": "minnie", "miranda": "randy mandy",
  "miriam": "mim", "mitchell": "mitch", "mohammed": "mo", "moses": "mo", "muhammad": "mo", "nadine": "dina",
  "nancy": "nan", "natalie": "nat tally", "natasha": "tasha tash", "nathan": "nat nate",
  "nathaniel": "nat nate nathan", "nicholas": "nick nicky nico", "nicola": "nicky nikki nic",
  "nicole": "nicky nikki", "nigel": "nige", "norman": "norm", "oliver": "olly ollie nol", "olivia": "liv livvy olly",
  "oscar": "ozzy", "oswald": "ozzy oz", "pamela": "pam pammy", "patricia": "pat patsy patty tricia trish paddy",
  "patrick": "pat paddy patsy rick", "paul": "paulie", "paula": "polly", "pauline": "polly", "penelope": "penny pen",
  "percival": "percy", "peter": "pete", "philip": "phil pip", "philippa": "pippa pip phil", "phillip": "phil pip",
  "phyllis": "phyl", "priscilla": "cilla prissy", "prudence": "pru prue", "rachel": "rach rae", "ralph": "rafe",
  "raymond": "ray", "rebecca": "becky becca bec beck", "reginald": "reg reggie rex", "rhiannon": "rhi annie",
  "richard": "rick dick rich richie ricky dickie", "robert": "bob bobby rob robbie bert robin", "roberta": "bobbie",
  "robin": "rob", "roderick": "rod roddy rory", "rodney": "rod", "roger": "rodge", "roland": "rollo roly",
  "ronald": "ron ronnie", "rosalind": "ros roz rose", "rosamund": "ros roz rose", "rose": "rosie",
  "rosemary": "rose rosie ros", "rowena": "ro", "rupert": "rupe", "russell": "russ rusty", "ruth": "ruthie",
  "samantha": "sam sammy", "samuel": "sam sammy", "sandra": "sandy", "sarah": "sally sadie sal",
  "sebastian": "seb bas", "selina": "lina", "sharon": "shaz", "sheila": "sheil", "shirley": "shirl", "sidney": "sid",
  "silvester": "sly vester", "simon": "si", "sophia": "sophie", "sophie": "soph", "stanley": "stan",
  "stephanie": "steph steff stevie", "stephen": "steve stevie", "steven": "steve stevie", "stewart": "stu stew",
  "stuart": "stu", "susan": "sue susie suzie", "susanna": "sue susie suzy sukey", "suzanne": "sue suzy suzie",
  "sylvia": "sylvie", "tamara": "tammy tara", "terence": "terry tel", "teresa": "terry tess tessa tracy",
  "thelma": "thel", "theodora": "dora thea", "theodore": "ted teddy theo", "theresa": "terry tess tessa tracy",
  "thomas": "tom tommy", "timothy": "tim timmy", "tobias": "toby", "trevor": "trev", "ursula": "ursie",
  "valentine": "val", "valerie": "val", "vanessa": "nessa nessie", "vera": "vee", "verity": "vee",
  "veronica": "ronnie vera nicky", "victor": "vic", "victoria": "vicky vicki tori vic", "vincent": "vince vinny vin",
  "violet": "vi", "virginia": "ginny ginger", "vivian": "viv", "vivienne": "viv", "walter": "wally walt wat",
  "wilfred": "wilf fred", "wilhelmina": "minnie mina willa billie",
  "william": "bill billy will willie wills liam willy", "winifred": "win winnie freda", "winston": "win",
  "yvonne": "von", "zachary": "zac zach zak"
}'::jsonb) as each (formal, shorts)
        cross join unnest(string_to_array(shorts, ' ')) as short
    ), short_form as (
      select short, array_agg(formal) as formals from form group by short
    ), pair as (
      select formal as a, short as b from form
      union all
      -- Liz and Beth. Not Bert and Rob: Bert may be Albert, and Rob may be Robin.
      select a.short, b.short from short_form as a cross join short_form as b
      where a.short < b.short and (a.formals <@ b.formals or b.formals <@ a.formals)
      union all
      -- from https://github.com/tfmorris/Names (commit 7218ee8), Apache-2.0
      select formal, short
      from jsonb_each_text('{
  "aaron": "ron", "abijah": "bijah", "abner": "ab", "addison": "addis", "adela": "dela",
  "adelaide": "ada dill adela thella", "adelbert": "bert", "adelle": "adelia delia dellia delle adela",
  "adelina": "adeline lena ada addie addy della dill adela", "adolphus": "dolph", "agatha": "aggy", "agnes": "aggy",
  "alan": "al allan", "alana": "lana", "albena": "bena", "albertina": "tina", "albion": "al", "alden": "al",
  "aldo": "al", "alex": "al", "alfonse": "alfonso alfonzo al fonso fonzo", "alford": "al alf",
  "alfreda": "freddy frieda", "alfred": "al", "alice": "alicia ally", "allen": "al", "allison": "allie ally",
  "almeda": "media", "almena": "allie mina mena", "almyra": "myra", "alois": "al", "alonzo": "al lonnie",
  "alton": "al", "alvena": "vena", "amelia": "lia mila", "anastacia": "anastasia stacy", "anderson": "andy",
  "andreas": "andre", "angela": "angelia angelette angelena angelina", "angelina": "lina", "angeline": "angel",
  "angelique": "angeli", "annabella": "annabelle ann anne anna annah annie bella belle",
  "annamaria": "ann anne anna annah annie maria", "ann": "annah anna anne annetje annette nanny",
  "anstice": "stice", "anthony": "antonio anton", "antoinette": "antonia ann nettie toni", "antolle": "tolle",
  "antonina": "nina", "arabelle": "arabella ara belle bella", "arden": "ard ardy", "arlene": "arly arlie",
  "arnold": "arnie arny", "arthur": "arty", "augusta": "aggy aggie gussie gussy",
  "august": "augustus augustine aug gus", "barbara": "barby", "barnabas": "barney barne barn", "bartley": "bart",
  "barton": "bart", "basileios": "basil", "bathsheba": "sheba", "beatrice": "trixy", "belinda": "belle bella linda",
  "benedict": "benito bennet benny bennett", "benjamin": "benjy", "bernadette": "bernadina",
  "bernard": "barney barne barn ben berny", "bertha": "birdie", "berthold": "bert", "bertrand": "bert",
  "bethiah": "beth", "beverly": "bev", "bradford": "brad", "bradley": "brad", "bridget": "britta",
  "camilla": "comilla millie mille milly", "caroline": "carol carole", "cassandra": "cassie cassy",
  "catherine": "cate cathleen kathleen kathy katy", "charles": "carl", "charlie": "charly",
  "charlotte": "lotte sharlotte", "chastity": "chasty chastie", "cheryl": "sherry sherrie", "chiquita": "chicky",
  "christian": "kris", "christina": "christine kristen kirsti kris", "christopher": "kris", "cicely": "ciss",
  "clarissa": "clara clas classie", "clemente": "clem", "clifton": "cliff", "clinton": "clint",
  "concepcion": "conchita", "constance": "conny", "corabel": "carabella carabelle cora belle bella",
  "corinne": "cora corinna", "cornelia": "nell nellie nelly", "cornelius": "neal niels niel",
  "curtis": "curt kurt kurtis", "cynthia": "cyndi", "david": "daffy", "deanne": "ann anne", "deborah": "debe",
  "deirdre": "dede dee tete", "delbert": "bert del", "derald": "dera", "diana": "diane dinah di dede dee dianah",
  "dietrich": "deke", "dillard": "dill", "dionysius": "dennis denny dennison", "donald": "donny",
  "dorothy": "dorie", "dustin": "dusty", "edgar": "ed edie eddie eddy ned neddy ted teddy", "edith": "edon eddie",
  "edna": "eithne eden", "edmund": "edie eddy neddy teddy", "edward": "edie eddy neddy",
  "edwin": "edie eddy ned neddy ted teddy", "elbert": "bert", "eleanor": "helen elenor elleanor ellen nelly",
  "elias": "ely", "elijah": "ely", "elizabeth": "bette elisa elspet lisbet lisbeth lisette", "elmer": "elmo",
  "emily": "emma emmeline", "erasmus": "ras", "estella": "estelle stella este stele", "esther": "hettie",
  "etheldreda": "ethelene ethel ethyl", "eugenius": "eugene gene", "eulalia": "eula",
  "euphemia": "fanny fam effemy", "evan": "van", "evelyn": "eva", "fanny": "ann fanne fannie", "fayette": "fay",
  "feliciano": "felix", "ferdinand": "ferd", "fionnula": "nola", "florence": "flora",
  "frances": "francina francine", "francis": "franz franky", "gabriella": "ella gabby", "genevieve": "gena jenny",
  "geoffrey": "jeffrey", "gerald": "gary", "geraldine": "gerrie", "gertrude": "gert", "gideon": "gid",
  "giles": "gillis", "glendale": "glen", "glendon": "glen", "gordon": "gordie", "griselda": "greselda zelda",
  "guadalupe": "lupe", "gustaf": "gus", "gwendolyn": "gwenny gwennie", "harriet": "harriotte", "harrison": "harry",
  "hedwig": "hedda", "heinrich": "henry", "henrietta": "hetty yetta", "hermelinda": "irma", "herschel": "hersch",
  "hester": "hetty", "hildegard": "hildegarde hilda helle", "horatio": "horace", "idabelle": "idabella belle bella",
  "irene": "ira", "isabella": "isabelle esebelle esebella", "ivana": "vanna vonna", "jacob": "jacques",
  "james": "jacques", "jane": "janet janice jantje", "jefferson": "jeff jeffrey jeffry", "jeremiah": "jeremy",
  "jerome": "jerry", "joanna": "ann anna", "johan": "jan", "johannis": "jan",
  "john": "johann johnnie jonathan hans", "joseannah": "ann anna annah", "josephine": "josine", "josiah": "jo joe",
  "julianna": "ann anna julie", "junius": "june", "justin": "joost jost", "kameron": "kam", "kenneth": "kent",
  "kimberly": "kim", "kirkland": "kirk", "kirklyn": "kirk", "lancelot": "lanzo lance", "lanette": "lana",
  "larissa": "lara", "lavinia": "vina", "lawrence": "loren lars", "leanna": "ann anna", "lenora": "nora",
  "leonard": "leon", "leroy": "roy", "lester": "les", "letitia": "laetitia laetizia letty lae",
  "lisanne": "ann anne lisa", "louise": "lois", "louis": "lew", "lucas": "luke",
  "lulabelle": "lulabella belle bella", "lupita": "lupe", "magdalena": "madaline mag maggie malena",
  "magnolia": "nola", "makena": "mak", "manuel": "mannie", "margaret": "gretie gretchen mamie meaghan magan",
  "marlene": "lena", "martha": "patsy pattie", "marvin": "marv", "maryann": "ann mary", "mary": "mollie pollie",
  "matilda": "maude", "maximillian": "max", "maxine": "max", "maxwell": "max", "mckenzie": "kenzy kenzie kensie",
  "melinda": "linda", "melissa": "missie", "montague": "monte monty", "montgomery": "monte monty",
  "moreen": "maurie maureen maury", "napoleon": "leon", "navarre": "nava", "nestorio": "nestor nest",
  "newton": "newt", "nicholas": "nicolas nikolas cole", "nicole": "nicki niki nickie", "norbert": "bert",
  "norman": "normie orme", "obadiah": "obed", "odelia": "oda", "olaf": "ole", "pamela": "pammie",
  "prudence": "prudy dence", "randolph": "randall randy rande", "rebecca": "reba rebe rebekah",
  "reuben": "ben rube", "robert": "robby", "roberta": "robbie", "roderick": "rurik roric roddie ordie",
  "ronald": "ronny", "rosabella": "rosabelle belle bella rosa",
  "rosanna": "roseanna roseann rosanne roseanne ann anna rose rosie", "rosalina": "rose rosie",
  "rosetta": "rose rosie", "roxanne": "ann roxy", "rudolph": "rudy", "samuel": "sammie",
  "sarahann": "ann sarah sara", "sarah": "sara", "savannah": "vonna vanna", "scott": "scotty scottie",
  "sergio": "serge", "stephen": "steven", "susanna": "ann anna susannah susan suzie suzanne", "temperance": "tempe",
  "thaddeus": "tad thad", "theresa": "teresa tessie tracey tesse", "thomas": "thom tommie", "timothy": "timmie",
  "trijntje": "trina", "vanessa": "vanna vonna", "vernon": "vern", "veronica": "ronny", "victoria": "vickie",
  "violet": "viola", "virgil": "virg", "virginia": "ginnie", "wallace": "wally", "webster": "webb web",
  "wesley": "wes", "wilhemina": "billie billy wilma willie mena minnie minny", "william": "wilhelm",
  "winifred": "winny", "zachariah": "zachary zack"
}'::jsonb) as each (formal, shorts)
        cross join unnest(string_to_array(shorts, ' ')) as short
    )
    select jsonb_object_agg(word, forms) from (
      select word, string_agg(distinct form, ' ' order by form) as forms
      from pair cross join lateral (values (a, b), (b, a)) as way (word, form)
      where a <> b
      group by word) as known));
end $do$;

-- The words of a name that is asked for, each once, with their sounds and short forms.
create function name_asked(name text, out words text[], out said text[], out short_forms text[])
language plpgsql immutable strict parallel safe as $$
begin
  words := array(select distinct unnest(string_to_array(name_joined(name_words(name)), ' ')));
  select array_agg(name_sound(word)), array_agg(array_to_string(short_forms(word), ' '))
  into said, short_forms from unnest(words) as word;
end $$;

-- The texts that differ from a text in at most one of the letters.
create function near_texts(given text, letters text[]) returns text[]
language sql immutable strict parallel safe
return array(
  select given
  union select overlay(given placing '' from place for 1) from generate_series(1, length(given)) as place
    where length(given) > 1
  union select overlay(given placing letter from place for taken)
  from generate_series(1, length(given) + 1) as place
    cross join unnest(letters) as letter
    cross join generate_series(0, 1) as taken
  where place <= length(given) + 1 - taken);

-- What the terms of a name that may be alike must meet. Of each word: a code, the first two letters or a short form;
-- `widely` also a code of double metaphone but for one letter, and the first four letters but for one, which takes
-- longer. Of a word of one letter the first letters are the whole word, and of one of three the first four: names that
-- are longer are unlike. `sound_kinds` and `word_kinds` are kinds of terms, see driver_search_terms.
create function alike_query(words text, sound_kinds text[], word_kinds text[], widely boolean) returns text
language sql immutable strict parallel safe
return (
  select string_agg('(' || each || ')', ' & ') from (
    select concat_ws(' | ',
      (select string_agg(format('''%s%s''', kind, code), ' | ')
        from unnest(sound_kinds) as kind cross join unnest(
          sound_codes(name_sound(word)) || case when widely then near_texts(
            nullif(dmetaphone(sound_letters(name_sound(word))), ''),
            string_to_array('0AFHJKLMNPRSTX', null)) end) as code
        where code <> ''),
      (select string_agg(format('''%s%s''%s', kind, beginning, case when goes_on then ':*' end), ' | ')
        from unnest(word_kinds) as kind cross join (
          select left(word, 2) as beginning, length(word) > 1 as goes_on
          union all
          select near, length(word) > 3
          from unnest(near_texts(left(word, 4), string_to_array('abcdefghijklmnopqrstuvwxyz', null))) as near
          where widely and not starts_with(near, left(word, 2))) as near),
      (select string_agg(format('''N%s''', short), ' | ') from unnest(short_forms(word)) as short
        where 'N' = any (word_kinds))) as each
    from (select distinct unnest(string_to_array(words, ' ')) as word) as asked) as parts);

-- The query that the terms of a row must meet before names are compared. `few`: the other criteria leave so few rows
-- that names that may only be alike do not take part. No row has the term '-', which stands for a name without words.
create function driver_candidates_query(
  last_name text, last_name_match text, first_names text, first_names_match text, full_name text,
  date_of_birth date, previous_dates_count boolean, postcodes text[], postcode_beginning text, gender text, few boolean
) returns tsquery
language sql immutable parallel safe
return nullif(concat_ws(' & ',
  '(' || nullif(driver_search_query(
    case when last_name_match <> 'phonetic' then last_name end, last_name_match,
    case when first_names_match <> 'phonetic' then first_names end, first_names_match, null,
    date_of_birth, previous_dates_count, postcodes, postcode_beginning, gender)::text, '') || ')',
  case when not few and last_name_match = 'phonetic' and last_name is not null then
    '(' || concat_ws(' | ',
      alike_query(replace(name_words(last_name), ' ', ''), '{S}', '{K}', true),
      sounds_query(name_said(last_name), '{S}')) || ')' end,
  case when not few and first_names_match = 'phonetic' and first_names is not null then
    '(' || concat_ws(' | ',
      alike_query(name_joined(name_words(first_names)), '{R}', '{N}', false),
      '''F' || nullif(replace(name_words(first_names), ' ', ''), '') || '''',
      '''-''') || ')' end,
  case when not few and full_name is not null then
    '(' || coalesce(alike_query(name_joined(name_words(full_name)), '{S,R}', '{T,N}', false), '''-''') || ')' end,
  -- one of the words at least is of the last name
  case when not few then
    '(' || replace(alike_query(name_joined(name_words(full_name)), '{S}', '{T}', false), '&', '|') || ')' end
), '')::tsquery;
