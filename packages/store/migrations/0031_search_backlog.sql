-- concurrently
-- Letters whose search terms are still to be written. It is empty once they are.
create index concurrently print_job_without_search_terms on print_job (key) where search_terms is null;
