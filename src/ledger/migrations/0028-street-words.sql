UPDATE orders SET subject_key = NULL WHERE payload LIKE '%"streetAddress"%';
