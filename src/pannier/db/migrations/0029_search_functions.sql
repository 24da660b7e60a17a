-- A text without accents: "José Straße" is "Jose Strasse". Needs no extension, and PostgreSQL can
-- inline it.
create function fold_accents(said text) returns text
language sql immutable parallel safe as $$
    select regexp_replace(normalize(translate(replace(replace(replace(replace(replace(
        said, 'ß', 'ss'), 'æ', 'ae'), 'Æ', 'Ae'), 'œ', 'oe'), 'Œ', 'Oe'),
        'øØłŁđĐı', 'oOlLdDi'), NFD), '[\u0300-\u036f]', '', 'g')
$$;
