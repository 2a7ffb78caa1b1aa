-- Drivers as they are searched for: one row for each name that a driver has or had on a licence. A loader fills the base
-- columns and needs to know nothing of how names are compared: that is here and nowhere else, so that what is held and
-- what is asked for go through the same functions. A name has words (how it is written), a sound (how it is said) and
-- codes (what the index knows its sound by).
-- Functions are bound when they are made to what they call, whatever the search_path is later, so that a dump of the
-- database can be restored; those in plpgsql, which are not, call nothing but the system's own.

create function name_plain(name text) returns text
language sql immutable strict parallel safe
return unaccent('unaccent'::regdictionary, name);

-- The words of a name in lower case, one space between them. Accents go, apostrophes and full stops join, hyphens and
-- all else part.
create function name_words(name text) returns text
language sql immutable strict parallel safe
return btrim(regexp_replace(
  translate(
    lower(case when octet_length(name) = char_length(name) then name else name_plain(name) end),
    '''`´‘’‚‛ʹʻʼʽˈ′‵＇.', ''),
  '[^a-z\u00aa-\u1fff\u2c00-\ud7ff\uf900-\ufdff]+', ' ', 'g'));

-- The words with particles joined to what they belong to: `van der berg` is `vanderberg`, `mc donald` is `mcdonald`.
create function name_joined(words text) returns text
language sql immutable strict parallel safe
return case when position(' ' in words) = 0 then words else regexp_replace(
  words,
  '\m(o|mac|mc|fitz|st|saint|de|del|della|di|da|do|dos|du|d|la|le|les|van|von|der|den|ter|ten|ap|ab|ni|nic|al|el|ul|ur|ud|abu|bin|ibn|abdul) (?=\S)',
  '\1', 'g') end;

-- Names that are one and the same though no rule of spelling joins them. Each leads to one of its spellings.
create function name_spelling(word text) returns text
language sql immutable strict parallel safe
return coalesce('{
  "affleck": "auchinleck", "bewley": "beaulieu", "beecham": "beauchamp", "beever": "belvoir", "bever": "belvoir",
  "bissett": "bisset", "blunt": "blount", "boon": "bohun", "broom": "brougham", "cahoon": "colquhoun",
  "calhoun": "colquhoun", "carney": "kearney", "chumley": "cholmondeley", "chomley": "cholmondeley",
  "cholmeley": "cholmondeley", "coburn": "cockburn", "creighton": "crichton", "crighton": "crichton",
  "dalyell": "dalziel", "dalzell": "dalziel", "deyell": "dalziel", "darby": "derby", "docherty": "doherty",
  "dougherty": "doherty", "dsouza": "desouza", "fanshaw": "featherstonehaugh", "fanshawe": "featherstonehaugh",
  "featherstonhaugh": "featherstonehaugh", "gaygan": "geoghegan", "geohegan": "geoghegan", "gloster": "gloucester",
  "glarms": "glamis", "harwood": "harewood", "hossain": "hussain", "hossein": "hussain", "hosein": "hussain",
  "hume": "home", "jervis": "jarvis", "kirby": "kirkby", "knowles": "knollys", "noles": "knollys", "kour": "kaur",
  "lester": "leicester", "lefebvre": "lefevre", "loosongore": "levesongower", "marchbanks": "marjoribanks",
  "mannering": "mainwaring", "maudlin": "magdalen", "mingis": "menzies", "mingies": "menzies", "milngavie": "mulguy",
  "moon": "mohun", "novak": "nowak", "peeps": "pepys", "pilston": "puleston", "rehman": "rahman", "risley": "wriothesley",
  "rivven": "ruthven", "riven": "ruthven", "sands": "sandys", "sinclair": "stclair", "sinjin": "stjohn",
  "sinjun": "stjohn", "strawn": "strachan", "strahan": "strachan", "summers": "somers", "suthell": "southwell",
  "syed": "sayed", "saiyed": "sayed", "tirrit": "tyrwhitt", "tirwhit": "tyrwhitt", "tolmash": "tollemache",
  "vogan": "vaughan", "walgrave": "waldegrave", "weems": "wemyss", "wemys": "wemyss", "woodhouse": "wodehouse",
  "wooster": "worcester", "graeme": "graham", "iain": "ian", "niall": "neil", "shaun": "sean", "shawn": "sean"
}'::jsonb ->> word, word);

-- How the joined words of a name are said, written plainly: silent letters go, letters that sound alike become one.
-- Capitals are sounds that take several letters: A bay, I bee, Y buy, O bow, U boo, W baw, C church, S shush.
create function name_sound(words text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  s text := ' ' || words || ' ';
begin
  s := replace(replace(replace(s, ' mc', ' mac'), ' saint', ' st'), 'mps', 'ms');
  -- silent at the beginning
  s := replace(replace(replace(replace(s, ' kn', ' n'), ' wr', ' r'), ' wh', ' w'), ' rh', ' r');
  s := replace(replace(replace(s, ' gn', ' n'), ' gh', ' g'), ' ps', ' s');
  -- gh
  s := replace(replace(replace(replace(s, 'eigh', 'I'), 'igh', 'Y'), 'ough', 'O'), 'ugh', 'U');
  s := replace(replace(replace(s, 'ngh', 'ng'), 'ght', 't'), 'gh', 'h');
  -- consonants of several letters; a doubled one still tells that the vowel before it is short
  s := replace(replace(replace(s, 'pherd', 'perd'), 'phard', 'pard'), 'ph', 'f');
  s := replace(replace(replace(replace(s, 'sch', 'sh'), 'tch', 'ch'), 'chr', 'kr'), 'chol', 'kol');
  s := replace(replace(replace(s, 'ch', 'C'), 'sh', 'S'), 'sz', 'S');
  s := replace(replace(replace(s, ' Sm', ' sm'), ' Sn', ' sn'), ' Sw', ' sw');
  s := replace(replace(replace(replace(replace(s, 'dt', 't'), 'th', 'tt'), 'kh', 'k'), 'dh', 'd'), 'bh', 'b');
  s := replace(replace(replace(replace(s, 'ck', 'kk'), 'cg', 'g'), 'dge', 'j'), 'dg', 'g');
  -- c and q as they are said, z and v as what they are taken for
  s := replace(replace(replace(replace(s, 'ce', 'se'), 'ci', 'si'), 'cy', 'sy'), 'qu', 'kw');
  s := replace(translate(s, 'cqzv', 'kksf'), 'x', 'ks');
  -- lost between other consonants
  s := replace(replace(replace(s, 'nds', 'ns'), 'mpk', 'mk'), 'lmes ', 'mes ');
  -- y is a vowel but at the beginning
  s := replace(translate(replace(replace(s, ' you', ' yu'), ' y', ' Q'), 'y', 'i'), 'Q', 'y');
  s := replace(replace(replace(replace(s, 'muham', 'moham'), 'aund', 'and'), ' Caud', ' Coud'), 'iie', 'ie');
  -- an e at the end is silent, and makes one vowel before one consonant long
  s := replace(s, 'ine ', 'in ');
  if s ~ 'es? ' then
    s := regexp_replace(s, '(^|[^aeiou])a([^aeiouwr ])e(s?) ', '\1A\2\3 ', 'g');
    s := regexp_replace(s, '(^|[^aeiou])e([^aeiouw ])e(s?) ', '\1I\2\3 ', 'g');
    s := regexp_replace(s, '(^|[^aeiou])i([^aeiouw ])e(s?) ', '\1Y\2\3 ', 'g');
    s := regexp_replace(s, '(^|[^aeiou])o([^aeiouw ])e(s?) ', '\1O\2\3 ', 'g');
    s := regexp_replace(s, '(^|[^aeiou])u([^aeiouw ])e(s?) ', '\1U\2\3 ', 'g');
    s := regexp_replace(s, '([aeiouw]{2}[^aeiouw ]?|[^aeiouw ]{2})e(s?) ', '\1\2 ', 'g');
  end if;
  -- vowels of several letters
  s := replace(replace(replace(replace(replace(s, 'ee', 'I'), 'ea', 'I'), 'ie', 'I'), 'eI', 'I'), 'ei', 'I');
  s := replace(replace(replace(s, 'ai', 'A'), 'ae', 'A'), 'Ah', 'A');
  s := replace(replace(replace(replace(replace(s, 'eu', 'U'), 'ew', 'U'), 'ue', 'U'), 'oor', 'Or'), 'oo', 'U');
  s := replace(replace(replace(replace(s, 'ow', 'O'), 'ou', 'O'), 'oa', 'O'), 'oe ', 'O ');
  s := replace(replace(replace(replace(s, 'oe', 'o'), 'ui', 'U'), 'aw', 'W'), 'au', 'W');
  s := replace(s, 'i ', 'I ');
  -- h is heard before a vowel alone
  s := regexp_replace(s, 'h(?![aeiouAIYOUW])', '', 'g');
  return btrim(regexp_replace(s, '([^ ])\1+', '\1', 'g'));
end $$;

-- The sound of a name as it is written, each of its words after its own spelling.
create function name_said(name text) returns text
language sql immutable strict parallel safe
return name_sound(case when position(' ' in name_joined(name_words(name))) = 0
  then name_spelling(name_joined(name_words(name)))
  else (select string_agg(name_spelling(word), ' ' order by place)
    from unnest(string_to_array(name_joined(name_words(name)), ' ')) with ordinality as part (word, place)) end);

-- What the index knows the sound of a word by: both codes of double metaphone, and soundex.
create function sound_codes(sound text) returns text[]
language sql immutable strict parallel safe
return array_remove(array[
  dmetaphone(lower(replace(replace(translate(sound, 'AIYOUW', 'aiiouo'), 'C', 'ch'), 'S', 'sh'))),
  dmetaphone_alt(lower(replace(replace(translate(sound, 'AIYOUW', 'aiiouo'), 'C', 'ch'), 'S', 'sh'))),
  soundex(lower(replace(replace(translate(sound, 'AIYOUW', 'aiiouo'), 'C', 'ch'), 'S', 'sh')))
], '');

-- The vowels that are taken for one another, each pair in words of so many sounds and more.
create function first_vowels_alike(asked text, held text, sounds integer, both_begin boolean) returns boolean
language sql immutable strict parallel safe
return asked = held or both_begin or coalesce(sounds >= (
  '{"Ii": 4, "OU": 4, "Oo": 5, "Uu": 5, "Aa": 6, "AI": 6, "OW": 6}'::jsonb
    ->> (least(asked collate "C", held collate "C") || greatest(asked collate "C", held collate "C"))
)::integer, false);

-- The codes alone take Taylor for Tyler and Smith for Sandhu. Two words sound alike when they share a code, their
-- consonants are the same, and so is the vowel that is heard best, the first; the others differ in a word or two.
create function sounds_alike(asked text, held text) returns boolean
language sql immutable strict parallel safe
return asked = held or (
  case
    when translate(asked, 'aeiouAIYOUW', '...........') = translate(held, 'aeiouAIYOUW', '...........')
      then levenshtein_less_equal(asked, held, 2) <= case when length(asked) <= 4 then 1 else 2 end
    else length(asked) + length(held) >= 12
      and translate(asked, 'aeiouAIYOUWhw', '') = translate(held, 'aeiouAIYOUWhw', '')
      and levenshtein_less_equal(asked, held, 1) <= 1
  end
  and first_vowels_alike(
    coalesce(substring(asked from '[aeiouAIYOUW]'), ''), coalesce(substring(held from '[aeiouAIYOUW]'), ''),
    length(asked), substring(asked from '^[ou]') is not null and substring(held from '^[ou]') is not null)
  and sound_codes(asked) && sound_codes(held)
);

-- Last names: as many words, and each like the one in its place.
create function last_sounds_alike(asked text, held text) returns boolean
language sql immutable strict parallel safe
return case
  when asked = held then true
  when position(' ' in asked) + position(' ' in held) = 0 then sounds_alike(asked, held)
  else (
    select bool_and(coalesce(sounds_alike(pair.asked, pair.held), false))
    from rows from (unnest(string_to_array(asked, ' ')), unnest(string_to_array(held, ' '))) as pair (asked, held))
end;

-- First names: each word that is asked for is like some word that is held, so that Jon finds John Paul.
create function each_sound_among(asked text, held text) returns boolean
language sql immutable strict parallel safe
return case
  when asked = held then true
  when position(' ' in asked) + position(' ' in held) = 0 then sounds_alike(asked, held)
  else (
    select bool_and(exists (
      select from unnest(string_to_array(held, ' ')) as word (held) where sounds_alike(part.asked, word.held)))
    from unnest(string_to_array(asked, ' ')) as part (asked))
end;

-- What a row is found by, each kind of term under a letter of its own: K the last name, T a word of it, S a code of its
-- sound; F, N and R the same of the first names; B and C the date of birth on the current licence and on those before; P
-- a postcode, Q what it begins with; G the gender.
create function driver_search_terms(
  last_words text, last_sound text, first_words text, first_sound text,
  date_of_birth date, previous_dates_of_birth date[], postcode text, gender text
) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array(
  select 'K' || replace(last_words, ' ', '')
  union all
  select 'T' || word from unnest(string_to_array(last_words || ' ' || name_joined(last_words), ' ')) as word
  union all
  select 'S' || code from unnest(string_to_array(last_sound, ' ')) as word, unnest(sound_codes(word)) as code
  union all
  select 'F' || replace(first_words, ' ', '') where first_words is not null
  union all
  select 'N' || word from unnest(string_to_array(first_words || ' ' || name_joined(first_words), ' ')) as word
  union all
  select 'R' || code from unnest(string_to_array(first_sound, ' ')) as word, unnest(sound_codes(word)) as code
  union all
  select 'B' || (date_of_birth - date '2000-01-01') where date_of_birth is not null
  union all
  select 'C' || (day - date '2000-01-01') from unnest(previous_dates_of_birth) as day where day is not null
  union all
  select 'P' || postcode where postcode is not null
  union all
  select 'Q' || left(postcode, -length(rest))
  from unnest(case
    when postcode ~ '^[A-Z]{1,2}[0-9][0-9A-Z]?[0-9][A-Z]{2}$' then '{999,99}'::text[]
    when postcode ~ '^[A-Z]{1,2}[0-9][0-9A-Z][0-9]$' then '{9}'::text[]
  end) as rest
  union all
  select 'G' || left(gender, 1)
));

-- All of the words, written as they are or with their particles joined.
create function words_query(words text, kind "char") returns text
language sql immutable strict parallel safe
return (
  select string_agg('(' || each || ')', ' | ') from (
    select string_agg(format('''%s%s''', kind, word), ' & ') as each
    from unnest(array[words, name_joined(words)]) as way, unnest(string_to_array(way, ' ')) as word
    group by way) as ways);

-- Of each word, one of its codes in one of the kinds of term.
create function sounds_query(sound text, kinds text[]) returns text
language sql immutable strict parallel safe
return (
  select string_agg('(' || each || ')', ' & ') from (
    select string_agg(format('''%s%s''', kind, code), ' | ') as each
    from unnest(string_to_array(sound, ' ')) with ordinality as part (word, place), unnest(sound_codes(word)) as code,
      unnest(kinds) as kind
    group by place) as words);

-- The query that the terms of a row must meet, from what is asked for; null asks for nothing.
create function driver_search_query(
  last_name text, last_name_match text, first_names text, first_names_match text, full_name text,
  date_of_birth date, previous_dates_count boolean, postcodes text[], postcode_beginning text, gender text
) returns tsquery
language sql immutable parallel safe
return (
  select string_agg('(' || part || ')', ' & ')::tsquery from unnest(array[
    case last_name_match
      when 'token' then words_query(name_words(last_name), 'T')
      when 'phonetic' then concat_ws(' | ',
        '''K' || replace(name_words(last_name), ' ', '') || '''', sounds_query(name_said(last_name), '{S}'))
      else '''K' || replace(name_words(last_name), ' ', '') || ''''
    end,
    case first_names_match
      when 'token' then words_query(name_words(first_names), 'N')
      when 'exact' then '''F' || replace(name_words(first_names), ' ', '') || ''''
      else nullif(concat_ws(' | ',
        '''F' || replace(name_words(first_names), ' ', '') || '''', sounds_query(name_said(first_names), '{R}')), '')
    end,
    sounds_query(name_said(full_name), '{S,R}'),
    (select string_agg(format('''S%s''', code), ' | ')
      from unnest(string_to_array(name_said(full_name), ' ')) as word, unnest(sound_codes(word)) as code),
    concat_ws(' | ',
      '''B' || (date_of_birth - date '2000-01-01') || '''',
      case when previous_dates_count then '''C' || (date_of_birth - date '2000-01-01') || '''' end),
    concat_ws(' | ',
      (select string_agg(format('''P%s''', postcode), ' | ') from unnest(postcodes) as postcode),
      '''Q' || postcode_beginning || ''''),
    '''G' || left(gender, 1) || ''''
  ]) as part
  where part <> ''
);

create table driver_search (
  set_id bigint not null,
  -- the number of the current licence, in every row of the driver
  driving_licence_number text not null,
  -- 0: the current licence; 1 and more: licences before it
  identity smallint not null check (identity >= 0),
  first_names text,
  last_name text not null,
  -- on the current licence, in every row of the driver
  date_of_birth date,
  -- those on licences before it that differ, in every row of the driver
  previous_dates_of_birth date[] not null default '{}',
  -- of the current address, in upper case without spaces
  postcode text,
  gender text not null check (gender in ('Male', 'Female')),
  last_words text not null generated always as (name_words(last_name)) stored,
  last_sound text not null generated always as (name_said(last_name)) stored,
  first_words text generated always as (name_words(first_names)) stored,
  first_sound text generated always as (name_said(first_names)) stored,
  primary key (set_id, driving_licence_number, identity)
) partition by list (set_id);

-- One index for every search: whichever criteria it has, their rarest terms are looked through first and the others
-- are only looked up. Without a list of pending entries, which every search would have to read.
create index driver_search_terms on driver_search using gin (
  driver_search_terms(
    last_words, last_sound, first_words, first_sound, date_of_birth, previous_dates_of_birth, postcode, gender)
) with (fastupdate = off);
