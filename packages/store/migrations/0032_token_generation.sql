-- Rises when the tokens that a consumer has are to be refused: when its password is recovered or reset, its API key is
-- replaced by an operator, or it is disabled.
alter table consumer add column token_generation integer not null default 0;
