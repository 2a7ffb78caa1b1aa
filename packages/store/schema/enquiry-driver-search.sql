-- Drivers as they are searched for, and how names are compared: by sound, by likeness and without accents.
create extension if not exists fuzzystrmatch;
create extension if not exists pg_trgm;
create extension if not exists unaccent;

-- What columns and indexes are made with is bound to what it calls when it is made, whatever the search_path is
-- later, so that a dump of the database can be restored: functions in plpgsql, which are not, call nothing of ours
-- there.

-- Without accents, whether they are written in one with their letter or after it.
create function name_plain(name text) returns text
language sql immutable strict parallel safe
return regexp_replace(unaccent('unaccent'::regdictionary, normalize(name, nfkc)), '[\u0300-\u036f]', '', 'g');

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
language plpgsql immutable strict parallel safe as $$
begin
  if position(' ' in words) = 0 then return words; end if;
  return regexp_replace(
    words,
    '\m(o|mac|mc|fitz|st|saint|de|del|della|di|da|do|dos|du|d|la|le|les|van|von|der|den|ter|ten|ap|ab|ni|nic|al|el|ul|ur|ud|abu|bin|ibn|abdul) (?=\S)',
    '\1', 'g');
end $$;

-- How the joined words of a name are said, written plainly: silent letters go, letters that sound alike become one.
-- Capitals are sounds that take several letters: A bay, I bee, Y buy, O bow, U boo, W baw, C church, S shush.
create function name_sound(words text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  -- names that are one and the same though no rule joins them, each under one of its spellings
  spellings constant jsonb := '{
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
}'::jsonb;
  word text;
  s text := ' ';
begin
  if position(' ' in words) = 0 then
    s := ' ' || coalesce(spellings ->> words, words) || ' ';
  else
    foreach word in array string_to_array(words, ' ') loop
      s := s || coalesce(spellings ->> word, word) || ' ';
    end loop;
  end if;
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
  -- inside a word, h is heard before a vowel alone
  s := regexp_replace(s, '(?<=[^ ])h(?![aeiouAIYOUW])', '', 'g');
  return btrim(regexp_replace(s, '([^ ])\1+', '\1', 'g'));
end $$;

create function name_said(name text) returns text
language sql immutable strict parallel safe
return name_sound(name_joined(name_words(name)));

-- A sound in letters that make the codes come out right.
create function sound_letters(sound text) returns text
language sql immutable strict parallel safe
return lower(replace(replace(translate(sound, 'AIYOUW', 'aiiouo'), 'C', 'ch'), 'S', 'sh'));

-- What the index knows the sound of a word by: both codes of double metaphone, and soundex.
create function sound_codes(sound text) returns text[]
language sql immutable strict parallel safe
return array_remove(
  array[dmetaphone(sound_letters(sound)), dmetaphone_alt(sound_letters(sound)), soundex(sound_letters(sound))], '');

-- Terms for the index: a kind, which is a letter, before each word, or before each code of each word.
create function word_terms(kind text, words text) returns text[]
language sql immutable strict parallel safe
return case
  when position(' ' in words) = 0 then array[kind || words]
  else array(
    select kind || word from unnest(string_to_array(words || ' ' || name_joined(words), ' ')) as word)
end;

create function sound_terms(kind text, sound text) returns text[]
language sql immutable strict parallel safe
return case
  when position(' ' in sound) = 0 then array_remove(
    array[
      kind || nullif(dmetaphone(sound_letters(sound)), ''), kind || nullif(dmetaphone_alt(sound_letters(sound)), ''),
      kind || nullif(soundex(sound_letters(sound)), '')
    ], null)
  else array(
    select kind || code from unnest(string_to_array(sound, ' ')) as word, unnest(sound_codes(word)) as code)
end;

-- What a postcode begins with: its outward code, and that with the sector, after a space: AB12 is not AB1 2.
create function postcode_beginnings(postcode text) returns text[]
language sql immutable strict parallel safe
return case
  when postcode ~ '^[A-Z]{1,2}[0-9][0-9A-Z]?[0-9][A-Z]{2}$'
    then array['Q' || left(postcode, -3), 'Q' || left(postcode, -3) || ' ' || left(right(postcode, 3), 1)]
  when postcode ~ '^[A-Z]{1,2}[0-9][0-9A-Z][0-9]$' then array['Q' || left(postcode, -1)]
  else '{}'
end;

create function days_terms(kind text, days date[]) returns text[]
language sql immutable strict parallel safe
return array(select kind || (day - date '2000-01-01') from unnest(days) as day);

-- What a row is found by, each kind of term under a letter of its own: K the last name, T a word of it, S a code of
-- its sound; F, N and R the same of the first names; B and C the date of birth on the current licence and on those
-- before; P a postcode, Q what it begins with; G the gender.
create function driver_search_terms(
  last_words text, last_sound text, first_words text, first_sound text,
  date_of_birth date, previous_dates_of_birth date[], postcode text, gender text
) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array_remove(
  array[
    'K' || replace(last_words, ' ', ''), 'F' || replace(first_words, ' ', ''),
    'B' || (date_of_birth - date '2000-01-01'), 'P' || postcode, 'G' || left(gender, 1)
  ]
  || word_terms('T', last_words) || sound_terms('S', last_sound)
  || word_terms('N', first_words) || sound_terms('R', first_sound)
  || case when cardinality(previous_dates_of_birth) > 0 then days_terms('C', previous_dates_of_birth) end
  || postcode_beginnings(postcode),
  null));

-- All of the words, written as they are or with their particles joined.
create function words_query(words text, kind text) returns text
language sql immutable strict parallel safe
return (
  select string_agg('(' || each || ')', ' | ') from (
    select string_agg(format('''%s%s''', kind, word), ' & ') as each
    from unnest(array[words, name_joined(words)]) as way, unnest(string_to_array(way, ' ')) as word
    group by way) as ways);

-- Of each word, one of its codes in one of the kinds of term. No row has the term of a word without a code.
create function sounds_query(sound text, kinds text[]) returns text
language sql immutable strict parallel safe
return coalesce((
  select string_agg('(' || each || ')', ' & ') from (
    select string_agg(format('''%s%s''', kind, coalesce(code, '-')), ' | ') as each
    from unnest(string_to_array(sound, ' ')) with ordinality as part (word, place)
      cross join unnest(kinds) as kind left join unnest(sound_codes(word)) as code on true
    group by place) as words), '''-''');

-- The query that the terms of a row must meet, from what is asked for; null asks for nothing.
create function driver_search_query(
  last_name text, last_name_match text, first_names text, first_names_match text, full_name text,
  date_of_birth date, previous_dates_count boolean, postcodes text[], postcode_beginning text, gender text
) returns tsquery
language sql immutable parallel safe
return (
  select string_agg('(' || part || ')', ' & ')::tsquery
  from (
    select
      '''K' || replace(name_words(last_name), ' ', '') || '''' as last_key,
      '''F' || replace(name_words(first_names), ' ', '') || '''' as first_key,
      (date_of_birth - date '2000-01-01')::text as day
  ) as asked, unnest(array[
    case last_name_match
      when 'token' then words_query(name_words(last_name), 'T')
      when 'phonetic' then last_key || ' | ' || sounds_query(name_said(last_name), '{S}')
      else last_key
    end,
    case first_names_match
      when 'token' then words_query(name_words(first_names), 'N')
      when 'phonetic' then first_key || ' | ' || sounds_query(name_said(first_names), '{R}')
      else first_key
    end,
    sounds_query(name_said(full_name), '{S,R}'),
    -- one of the words at least is of the last name
    replace(sounds_query(name_said(full_name), '{S}'), '&', '|'),
    '''B' || day || '''' || case when previous_dates_count then ' | ''C' || day || '''' else '' end,
    concat_ws(' | ',
      (select string_agg(format('''P%s''', postcode), ' | ') from unnest(postcodes) as postcode),
      '''Q' || postcode_beginning || ''''),
    '''G' || left(gender, 1) || ''''
  ]) as part
  where part <> ''
);

-- One row for each name that a driver has or had on a licence. A loader fills the base columns and needs to know
-- nothing of how names are compared: only this file and enquiry-name-likeness.sql do, so that what is held and what
-- is asked for go through the same functions. A name has words (how it is written), a sound (how it is said) and
-- codes (what the index knows its sound by). Read by administration and driver-find. administration loads the
-- partitions, and driver-find in a test environment. A row leaves with its set (record-set.sql).
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
