-- A bulk action of the print jobs that match a filter may have more of them than one whose print jobs are named.
alter table bulk_action drop constraint if exists bulk_action_print_job_count_check;
alter table bulk_action add constraint bulk_action_print_job_count_check check (print_job_count between 1 and 10000);
